// SPDX-License-Identifier: Apache-2.0
// Any text is read or refused; what is read has a time and a command on each line.
#include <cstdint>
#include <cstdlib>

#include "cli/scrontab/scrontab.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto entries = ym::cli::parse_crontab(text);
  if (!entries) return 0;
  for (const ym::cli::CrontabEntry& entry : *entries)
    if (entry.command.empty() || entry.time.empty()) std::abort();
  return 0;
}
