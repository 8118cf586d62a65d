// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "notation/features.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto expression = ym::FeatureExpression::parse({reinterpret_cast<const char*>(data), size});
  if (!expression) return 0;
  YM_CHECK(!expression->choices.empty());
  YM_CHECK(expression->choices.size() <= ym::FeatureExpression::kChoicesMax);
  static_cast<void>(expression->admits("a,b,c"));
  return 0;
}
