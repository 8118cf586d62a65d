// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/tres.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto list = ym::Tres::parse_limits({reinterpret_cast<const char*>(data), size});
  if (!list) return 0;
  YM_CHECK(ym::Tres::parse_limits(list->str()) == list);
  ym::Tres sum = *list;
  sum.add(*list);
  YM_CHECK(sum.entries().size() == list->entries().size());
  return 0;
}
