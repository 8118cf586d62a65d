// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "cli/sbatch/sbatch.h"
#include "cli/sbatch/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ym::check_script(text);
  if (auto words = ym::script_arguments(text)) {
    // No word is longer than what it was read from.
    for (const std::string& word : *words)
      if (word.size() > size) __builtin_trap();
  }
  ym::JobOptions options;
  (void)ym::apply_batch_options(text, {}, options);
  return 0;
}
