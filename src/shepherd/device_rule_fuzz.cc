// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "shepherd/device_filter.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto rule = ym::parse_device_rule(text)) {
    auto again = ym::parse_device_rule(ym::text_of(*rule));
    YM_CHECK(again.has_value());
    YM_CHECK(*again == *rule);
  }
  return 0;
}
