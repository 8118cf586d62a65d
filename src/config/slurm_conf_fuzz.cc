// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "base/text.h"
#include "config/parse.h"

// The input is slurm.conf, and any file that it includes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t reads = 0;
  auto read = [&](const std::string&) -> ym::Result<std::string> {
    if (++reads > 20) return ym::fail("no more files");
    return text;
  };
  auto parsed = ym::parse_config("/etc/slurm.conf", read);
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    YM_CHECK(ym::split(parsed.error().text, '\n').size() <= ym::kConfigErrorsMax + 1);
    return 0;
  }
  reads = 0;
  auto alone = ym::parse_main_keys("/etc/slurm.conf", read);
  YM_CHECK(alone.has_value());
  alone->shown = parsed->config.shown;
  YM_CHECK(*alone == static_cast<const ym::MainConfig&>(parsed->config));
  if (parsed->config.nodes.size() > 1000) return 0;
  std::string printed = ym::print_config(parsed->config);
  auto again = ym::parse_config(
      "/etc/slurm.conf", [&](const std::string&) -> ym::Result<std::string> { return printed; });
  YM_CHECK(again.has_value());
  again->config.shown = parsed->config.shown;
  YM_CHECK(again->config == parsed->config);
  return 0;
}
