// SPDX-License-Identifier: Apache-2.0
// The cluster's own authority: a key and a certificate that signs those of its servers. Elliptic
// (P-256), so that nothing here takes long.
#pragma once
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "net/tls.h"

namespace ym {

inline constexpr Duration kAuthorityLife = std::chrono::hours(24 * 3650);
inline constexpr Duration kCertificateLife = std::chrono::hours(24 * 30);

class Authority {
 public:
  static Result<Authority> create(const std::string& cluster, Instant now);
  // Refuses a pair that does not belong together.
  static Result<Authority> from(TlsIdentity identity);
  // What is in `folder`, or a new one, written there with mode 0600. Of several who come at once,
  // or late, all get the same key.
  static Result<Authority> load_or_create(const std::string& folder, const std::string& cluster,
                                          Instant now);

  const std::string& certificate() const { return identity_.certificate; }
  // With the key: for whoever keeps it elsewhere than in a folder.
  const TlsIdentity& identity() const { return identity_; }
  // For a server that is called `name`; good from an hour before `now`, or `life` if that is
  // shorter, as clocks differ.
  Result<TlsIdentity> issue(const std::string& name, Instant now, Duration life) const;
  // The certificate that a request (certificate.h) asks for, for the key inside and `name`,
  // whatever name the request has. Refuses a request that its key has not signed.
  Result<std::string> sign(const std::string& request, const std::string& name, Instant now,
                           Duration life) const;

 private:
  explicit Authority(TlsIdentity identity) : identity_(std::move(identity)) {}
  TlsIdentity identity_;
};

}  // namespace ym
