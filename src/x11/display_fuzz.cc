// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "x11/display.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto display = ym::parse_display(text)) static_cast<void>(ym::address_of(*display));
  return 0;
}
