// SPDX-License-Identifier: Apache-2.0
// However an X client's first words are cut, the same comes out; and nothing without the cookie.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "x11/setup.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string shown = "0123456789abcdef", real = "fedcba9876543210";
  ym::SetupFilter whole(shown, real), cut(shown, real);
  std::string once, often;
  bool fine = whole.feed(bytes, once).has_value();
  bool still = true;
  for (std::size_t i = 0; i < size && still; ++i)
    still = cut.feed(bytes.substr(i, 1), often).has_value();
  if (fine && once != often) std::abort();
  if (!once.empty() && bytes.find(shown) == std::string_view::npos) std::abort();
  return 0;
}
