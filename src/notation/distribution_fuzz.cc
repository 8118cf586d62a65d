// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/distribution.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto value = ym::Distribution::parse(text);
  if (value) YM_CHECK(ym::Distribution::parse(value->str()) == value);
  return 0;
}
