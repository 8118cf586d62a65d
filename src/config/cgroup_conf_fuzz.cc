// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "config/cgroup_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t reads = 0;
  auto read = [&](const std::string&) -> ym::Result<std::string> {
    if (++reads > 20) return ym::fail("no more files");
    return text;
  };
  auto parsed = ym::parse_cgroup_conf("/etc/slurm/cgroup.conf", read);
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    return 0;
  }
  YM_CHECK(parsed->config.mount_point.starts_with('/'));
  YM_CHECK(parsed->config.allowed_memory_percent <= 10000);
  return 0;
}
