// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bcast/compress.h"

// A piece of a file from a stranger; and every text comes back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ym::decompress(text, size * 3);
  std::string small = ym::compress(text);
  if (!small.empty() && *ym::decompress(small, size) != text) __builtin_trap();
  return 0;
}
