// SPDX-License-Identifier: Apache-2.0
// What is read is written as it was.
#include <cstdlib>

#include "x11/display.h"
#include "x11/xauthority.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (auto name = ym::parse_display(bytes)) ym::address_of(*name);
  auto entries = ym::parse_xauthority(bytes);
  if (!entries) return 0;
  if (ym::print_xauthority(*entries) != bytes) std::abort();
  ym::find_cookie(*entries, {.number = 0}, {.host = "desk"});
  return 0;
}
