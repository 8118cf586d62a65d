// SPDX-License-Identifier: Apache-2.0
// Certificates and requests for them, as text (PEM), and what they say.
#pragma once
#include <openssl/types.h>

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ym {

inline constexpr std::size_t kPemMax = 1 << 20;
// Names in certificates have up to so many characters.
inline constexpr std::size_t kCertificateNameMax = 64;

struct CertificateFacts {
  std::string name;    // whose
  std::string serial;  // hexadecimal, lower case, without leading zeros
  Instant from, until;
  bool operator==(const CertificateFacts&) const = default;
};
// Of the first certificate in `pem`.
Result<CertificateFacts> read_certificate(const std::string& pem);

// A third of its life is left, or less; or it is not good yet.
bool wants_renewal(const CertificateFacts& facts, Instant now);

// A new private key (P-256), and the request that an authority should sign it for `name`.
struct CertificateWish {
  std::string request, key;
};
Result<CertificateWish> wish_certificate(const std::string& name);

std::string serial_of(const X509* certificate);

}  // namespace ym
