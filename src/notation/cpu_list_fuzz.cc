// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/cpu_list.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto numbers = ym::parse_cpu_list(text)) {
    auto again = ym::parse_cpu_list(ym::print_cpu_list(*numbers));
    YM_CHECK(again.has_value());
    YM_CHECK(*again == *numbers);
  }
  if (auto numbers = ym::parse_cpu_mask(text)) {
    auto again = ym::parse_cpu_mask(ym::print_cpu_mask(*numbers));
    YM_CHECK(again.has_value());
    YM_CHECK(*again == *numbers);
  }
  return 0;
}
