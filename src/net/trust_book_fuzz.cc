// SPDX-License-Identifier: Apache-2.0
// The authority's book, what commands believe, and join tokens: any text is read or refused, and
// what was read is written as it was.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "net/trust_book.h"
#include "net/trust_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (auto book = ym::TrustBook::parse(text)) {
    auto again = ym::TrustBook::parse(book->text());
    YM_CHECK(again.has_value() && *again == *book);
  }
  ym::TlsTrust trust = ym::parse_trust(text);
  YM_CHECK(ym::parse_trust(ym::trust_text(trust)) == trust);
  if (auto token = ym::parse_join_text(text)) YM_CHECK(ym::join_text(*token) == text);
  return 0;
}
