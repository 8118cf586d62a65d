// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/dependency.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parsed = ym::Dependency::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  YM_CHECK(parsed->terms.size() <= ym::Dependency::kTermsMax);
  YM_CHECK(ym::Dependency::parse(parsed->str()) == parsed);
  return 0;
}
