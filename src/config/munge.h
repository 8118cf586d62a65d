// SPDX-License-Identifier: Apache-2.0
// AuthType=auth/munge: commands prove who they are by MUNGE. Daemons go on with the cluster's key,
// which signs steps, too.
#pragma once
#include <string>

#include "model/config.h"

namespace ym {

struct MungeConfig {
  bool enabled = false;
  std::string socket;  // AuthInfo=socket=; empty: where munged usually is
};
// From the values that `config` shows.
MungeConfig munge_of(const ClusterConfig& config);

// What a credential for this cluster has inside: one that was made for something else is worthless.
std::string munge_payload(const std::string& cluster);

}  // namespace ym
