// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/array.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto array = ym::ArrayExpression::parse({reinterpret_cast<const char*>(data), size});
  if (!array) return 0;
  YM_CHECK(!array->indices.empty());
  YM_CHECK(array->indices.max() <= ym::kArrayIndexMax);
  YM_CHECK(ym::ArrayExpression::parse(array->str()) == array);
  YM_CHECK(array->indices.str(64).size() <= 64);
  YM_CHECK(array->indices.intersected(array->indices) == array->indices);
  ym::IndexSet rest = array->indices;
  std::uint32_t middle = rest.runs()[rest.runs().size() / 2].first;
  YM_CHECK(rest.erase(middle));
  YM_CHECK(!rest.contains(middle));
  YM_CHECK(rest.count() + 1 == array->indices.count());
  YM_CHECK(rest.insert(middle));
  YM_CHECK(rest == array->indices);
  return 0;
}
