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

// Clocks that are further off are to be mended, not to be tolerated.
inline constexpr Duration kConfiguredSkewMax = std::chrono::seconds(600);

// From the values that `config` shows.
SecurityConfig security_of(const ClusterConfig& config);

}  // namespace ym
