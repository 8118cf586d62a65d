// SPDX-License-Identifier: Apache-2.0
// Certificates and requests come from others: nothing in them may do harm.
#include <cstddef>
#include <cstdint>
#include <string>

#include "net/authority.h"
#include "net/certificate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ym::Instant now = ym::Instant::from_unix_seconds(1'800'000'000);
  static const ym::Authority authority = ym::Authority::create("fuzz", now).value();
  std::string text(reinterpret_cast<const char*>(data), size);
  if (auto facts = ym::read_certificate(text)) static_cast<void>(wants_renewal(*facts, now));
  static_cast<void>(authority.sign(text, "n1", now, ym::kCertificateLife));
  static_cast<void>(ym::TlsContext::client({.authority = text, .revoked = {}}));
  return 0;
}
