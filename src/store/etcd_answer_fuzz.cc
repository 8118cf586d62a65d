// SPDX-License-Identifier: Apache-2.0
// Any bytes as the answer of an etcd, and as its address in slurm.conf: refused, or understood as
// something within the bounds that were asked for.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/etcd.h"
#include "store/etcd_home.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  ym::Etcd etcd([&](const std::string&, const std::string&) { return text; });
  if (auto pairs = etcd.range({.from = "/a", .to = "/b"}))
    for (const ym::EtcdPair& pair : *pairs) YM_CHECK(pair.key.size() + pair.value.size() <= size);
  static_cast<void>(etcd.change({.conditions = {{.key = "/a"}}, .puts = {{.key = "/a"}}}));
  static_cast<void>(etcd.grant(2));
  static_cast<void>(etcd.keep_alive(7));
  if (auto place = ym::parse_etcd_place(text)) {
    YM_CHECK(!place->members.empty());
    YM_CHECK(place->prefix.size() > 1 && place->prefix.front() == '/');
  }
  return 0;
}
