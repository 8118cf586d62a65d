// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "config/oci_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t reads = 0;
  auto read = [&](const std::string&) -> ym::Result<std::string> {
    if (++reads > 20) return ym::fail("no more files");
    return text;
  };
  auto parsed = ym::parse_oci_conf("/etc/slurm/oci.conf", read);
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    return 0;
  }
  const ym::OciConfig& config = parsed->config;
  YM_CHECK(config.configured);
  YM_CHECK(!config.run.empty() || (!config.create.empty() && !config.start.empty()));
  YM_CHECK(config.mount_spool_dir.empty() || config.mount_spool_dir.starts_with('/'));
  return 0;
}
