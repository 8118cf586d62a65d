// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as slurm.jwks. What is taken has a key that signs, and verifies what it signed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/keyring.h"
#include "net/token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto ring = ym::KeyRing::from_jwks(bytes, nullptr, ym::Instant{1000});
  if (!ring) return 0;
  YM_CHECK(!ring->keys().empty());
  std::string signature = ym::sign_blob(*ring, "fuzz", "bytes");
  YM_CHECK(ym::verify_blob(*ring, "fuzz", "bytes", signature, {.now = {1000}}).has_value());
  return 0;
}
