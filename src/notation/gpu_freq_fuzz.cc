// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "notation/gpu_freq.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto freq = ym::GpuFreq::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!freq) return 0;
  auto again = ym::GpuFreq::parse(freq->str());
  YM_CHECK(again && *again == *freq);
  return 0;
}
