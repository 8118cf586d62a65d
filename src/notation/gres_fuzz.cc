// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/gres.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto terms = ym::parse_gres(text)) {
    auto again = ym::parse_gres(ym::print_gres(*terms));
    YM_CHECK(again.has_value());
    YM_CHECK(*again == *terms);
  }
  if (auto terms = ym::parse_node_gres(text)) {
    auto again = ym::parse_node_gres(ym::print_gres(*terms));
    YM_CHECK(again.has_value());
    YM_CHECK(*again == *terms);
  }
  if (auto files = ym::expand_files(text)) YM_CHECK(files->size() <= ym::kGresFilesMax);
  return 0;
}
