// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/licenses.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto list = ym::LicenseList::parse({reinterpret_cast<const char*>(data), size});
  if (!list) return 0;
  auto again = ym::LicenseList::parse(list->str());
  YM_CHECK(again.has_value());
  YM_CHECK(again->terms == list->terms);
  return 0;
}
