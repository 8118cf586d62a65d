// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "config/gres_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t reads = 0;
  auto read = [&](const std::string&) -> ym::Result<std::string> {
    if (++reads > 20) return ym::fail("no more files");
    return text;
  };
  auto parsed = ym::parse_gres_conf("/etc/slurm/gres.conf", "gpu,shard,mps,tool", read);
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    return 0;
  }
  for (const ym::GresLine& line : parsed->lines)
    YM_CHECK(!line.item.name.empty() || !line.autodetect.empty());
  return 0;
}
