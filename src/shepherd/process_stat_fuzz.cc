// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shepherd/usage.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::Usage usage;
  ym::parse_io(text, usage);
  auto stat = ym::parse_stat(text, 4, 100);
  return stat && stat->pid < 0 ? -1 : 0;
}
