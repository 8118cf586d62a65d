// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "config/topology_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t reads = 0;
  auto read = [&](const std::string&) -> ym::Result<std::string> {
    if (++reads > 20) return ym::fail("no more files");
    return text;
  };
  auto parsed = ym::parse_topology_conf("/etc/slurm/topology.conf", read);
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    return 0;
  }
  for (const ym::TopologySwitch& one : parsed->switches) {
    YM_CHECK(parsed->find_switch(one.name) == &one);
    YM_CHECK((one.level == 0) == one.switches.empty());
  }
  return 0;
}
