// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "notation/acct_frequency.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)ym::parse_acct_frequency(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
