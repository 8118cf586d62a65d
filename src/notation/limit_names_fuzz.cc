// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "notation/limit_names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto named = ym::parse_limit_names(text);
  auto rest = ym::parse_limit_exceptions(text);
  YM_CHECK(named.has_value() == rest.has_value());
  if (!named) return 0;
  for (std::uint32_t kind : *named) YM_CHECK(!ym::limit_name(kind).empty());
  YM_CHECK(named->size() + rest->size() == 10);
  return 0;
}
