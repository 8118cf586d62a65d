// SPDX-License-Identifier: Apache-2.0
// The signature of a step's credential: the first bytes say how long the signature is, what follows
// is credential and signature. Nothing verifies that the key's owner did not sign; what he signed
// verifies, and no longer with any bit changed.
#include "base/check.h"
#include "net/token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  static const ym::KeyRing keys(ym::ClusterKey::from_bytes(std::string(32, 'f')).value());
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  size_t cut = data[0] <= bytes.size() ? bytes.size() - data[0] : bytes.size();
  std::string_view credential = bytes.substr(0, cut), signature = bytes.substr(cut);
  ym::TokenRules rules{.now = {1}, .audience = {}, .kind = {}};
  YM_CHECK(!ym::verify_blob(keys, "step-credential", credential, signature, rules));
  std::string good = ym::sign_blob(keys, "step-credential", credential);
  YM_CHECK(ym::verify_blob(keys, "step-credential", credential, good, rules));
  YM_CHECK(!ym::verify_blob(keys, "another-context", credential, good, rules));
  good[data[1] % good.size()] ^= 1;
  YM_CHECK(!ym::verify_blob(keys, "step-credential", credential, good, rules));
  return 0;
}
