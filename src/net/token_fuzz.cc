// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a token and as the inside of one. What verifies must have been made by the
// key's owner.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const ym::ClusterKey key = ym::ClusterKey::from_bytes(std::string(32, 'f')).value();
  YM_CHECK(!ym::verify_token(key, bytes, {.now = {1}}));
  auto claims = ym::parse_claims(bytes);
  if (claims) {
    YM_CHECK(claims->user.size() <= 256);
    YM_CHECK(!claims->uid || *claims->uid != ~0u);
  }
  if (auto decoded = ym::base64url_decode(bytes)) YM_CHECK(ym::base64url_encode(*decoded) == bytes);
  return 0;
}
