// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/time_limit.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto limit = ym::parse_time_limit({reinterpret_cast<const char*>(data), size});
  if (!limit) return 0;
  YM_CHECK(ym::parse_time_limit(ym::print_time_limit(*limit)) == limit);
  YM_CHECK(ym::parse_time_limit(ym::print_time_limit_long(*limit)) == limit);
  return 0;
}
