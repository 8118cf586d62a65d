// SPDX-License-Identifier: Apache-2.0
// AuthType=auth/munge: commands prove who they are by MUNGE. Daemons go on with the cluster's key,
// which signs steps, too.
#pragma once
#include <string>
#include <string_view>

#include "model/config.h"

namespace ym {

struct MungeConfig {
  bool enabled = false;
  std::string socket;  // AuthInfo=socket=; empty: where munged usually is
};
// From the values that `config` shows.
MungeConfig munge_of(const MainConfig& config);

// What a credential for this cluster, and for the channel that it is shown on, has inside: one that
// was made for something else is worthless. `binding` is the channel's; empty without TLS.
std::string munge_payload(const std::string& cluster, std::string_view binding);

}  // namespace ym
