// SPDX-License-Identifier: Apache-2.0
// Certificates of the cluster's own authority: how nodes get them, and how they lose them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace ym {

// A node to the controller: sign this. The answer is CertificateIssued.
struct RequestCertificate {
  std::string node;
  std::string request;  // PEM
};
struct CertificateIssued {
  std::string certificate;  // PEM
};

// The controller to a node, whenever it changes, and with each connection; and whoever asks.
struct TrustNews {
  std::string authority;             // certificates, PEM
  std::vector<std::string> revoked;  // serial numbers, hexadecimal
  Instant configured;  // when the controller read its files last: whoever has copies asks for them
};

// Who came with a join token, and so far knows nothing. The answer is Joined.
struct JoinCluster {};
struct Joined {
  std::string key, jwks;  // the bytes of slurm.key and slurm.jwks; empty: there is none
};

// Administrators. The answer is a Token.
struct MakeJoinToken {
  std::string node;
  std::uint32_t lifespan_s = 3600;
};
// One of both.
struct RevokeCertificate {
  std::string node;
  std::string serial;
};
struct QueryCertificates {};
struct CertificateRow {
  std::string name, serial;
  Instant until;
  bool revoked = false;
};
struct Certificates {
  std::vector<CertificateRow> rows;
  std::vector<std::string> blocked;  // nodes that get none without a join token
};

}  // namespace ym
