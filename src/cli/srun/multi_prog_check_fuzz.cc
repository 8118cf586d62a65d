// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "cli/srun/multi_prog_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  bool any = ym::cli::check_multi_prog(text, "file", 0).has_value();
  // Whoever has all tasks has no line that is wrong.
  if (ym::cli::check_multi_prog(text, "file", 7).has_value() && !any) __builtin_trap();
  return 0;
}
