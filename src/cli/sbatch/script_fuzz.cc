// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "cli/options/components.h"
#include "cli/sbatch/sbatch.h"
#include "cli/sbatch/script.h"

namespace ym::cli {
namespace {

int try_input(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)check_script(text);
  if (auto components = script_components(text)) {
    // No word is longer than what it was read from.
    for (const auto& words : *components)
      for (const std::string& word : words)
        if (word.size() > size) __builtin_trap();
    static_cast<void>(complete_components(kSbatch, *components, 0));
  }
  JobOptions options;
  (void)apply_batch_options(text, {}, options);
  return 0;
}

}  // namespace
}  // namespace ym::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ym::cli::try_input(data, size);
}
