// SPDX-License-Identifier: Apache-2.0
// Whom to believe, as a file says it; and join tokens, as strangers show them. Any text is taken or
// refused; what is written is read as it was.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "net/join_token.h"
#include "net/trust_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  ym::TlsTrust trust = ym::parse_trust(text);
  YM_CHECK(ym::parse_trust(ym::trust_text(trust)) == trust);
  if (auto token = ym::parse_join_text(text)) YM_CHECK(ym::join_text(*token) == text);
  if (auto id = ym::joining_id(text)) YM_CHECK(id->size() <= text.size());
  return 0;
}
