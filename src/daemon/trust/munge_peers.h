// SPDX-License-Identifier: Apache-2.0
// AuthType=auth/munge at a daemon: who made a credential.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/config.h"
#include "net/peer.h"

namespace ym {

// For Authenticator::Options::munge. Empty unless the configuration wants MUNGE. If libmunge is
// missing every credential is refused with that reason.
std::function<Result<Peer>(const std::string& credential, std::string_view binding)> munge_peers(
    const ClusterConfig& config);
// For ServerOptions::may_block: munged is waited for, and may be stuck.
bool asks_munge(std::string_view token);

}  // namespace ym
