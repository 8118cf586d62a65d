// SPDX-License-Identifier: Apache-2.0
// What slurm.conf says about who is believed and who may see what.
#pragma once
#include <string>

#include "base/time.h"
#include "model/config.h"

namespace ym {

// PrivateData: what only its owner and operators see.
struct PrivateData {
  bool accounts = false, events = false, jobs = false, nodes = false, partitions = false,
       reservations = false, usage = false, users = false;
};

struct SecurityConfig {
  std::string jwks_file;                           // AuthInfo=jwks_file=; empty: beside the key
  Duration clock_skew = std::chrono::seconds(60);  // AuthInfo=clock_skew=
  PrivateData hidden;                              // PrivateData
};

// TLSType and TLSParameters.
struct TlsConfig {
  // Said to be, or by itself where a controller is reached from other machines: by a name or
  // address that is not this machine's own loopback.
  bool on = false;
  // Certificates of the site's own authority; the files as they are named, empty: the usual ones
  // beside slurm.conf.
  bool site_authority = false;
  std::string authority_file, controller_certificate, controller_key, node_certificate, node_key;
  std::string authority_dir;     // where the cluster's own is kept; empty: in StateSaveLocation
  Duration certificate_life{0};  // of those that the cluster issues itself; 0: the usual
};
TlsConfig tls_of(const MainConfig& config);

// Clocks that are further off are to be mended, not to be tolerated.
inline constexpr Duration kConfiguredSkewMax = std::chrono::seconds(600);

// From the values that `config` shows.
SecurityConfig security_of(const MainConfig& config);

}  // namespace ym
