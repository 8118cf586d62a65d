// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/sbcast/libraries.h"

// The beginning of any file, and what any loader prints.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ym::cli::elf_interpreter(text);
  for (const std::string& path : ym::cli::parse_loader_list(text))
    if (!path.starts_with('/')) __builtin_trap();
  (void)ym::cli::excluded(text, ym::cli::parse_exclusions(text));
  return 0;
}
