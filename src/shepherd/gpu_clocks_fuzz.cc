// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "shepherd/gpu_freq.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ym::parse_dpm_steps(text);
  for (const auto& [memory, graphics] : ym::parse_supported_clocks(text))
    YM_CHECK(!graphics.empty());
  return 0;
}
