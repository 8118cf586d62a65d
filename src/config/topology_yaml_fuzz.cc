// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "config/topology_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto parsed = ym::parse_topology_yaml("/etc/slurm/topology.yaml", text);
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    return 0;
  }
  for (const ym::Topology& one : *parsed) {
    YM_CHECK(ym::choose_topology(*parsed, one.name) == &one);
    YM_CHECK(one.kind == ym::TopologyKind::Tree || one.switches.empty());
  }
  return 0;
}
