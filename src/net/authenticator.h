// SPDX-License-Identifier: Apache-2.0
// What a token proves at a server: its signature, times and cluster, and that it has not been used
// before if it serves once. Any thread.
#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/keyring.h"
#include "net/peer.h"
#include "net/replay.h"
#include "net/token.h"

namespace ym {

// How far the clocks of one cluster may differ, at most.
inline constexpr Duration kClockSkewMax = std::chrono::seconds(600);

class Authenticator {
 public:
  struct Options {
    std::string cluster;
    std::function<Instant()> now;
    Duration skew = std::chrono::seconds(60);
    // When this server began to remember which tokens have served. One that serves once, was made
    // before and is not bound to its channel may have served before, too. A machine whose clock is
    // behind is refused for as long as it is; commands and nodes come back with a new token.
    Instant started = {};
    // A node that fetches its configuration does not know the cluster's name yet.
    bool cluster_may_be_missing = false;
    // Tokens of other tools may name their user only; asks the name service. Without: refused.
    std::function<Result<Peer>(const std::string& user)> look_up;
    // Credentials of MUNGE: uid and gid of who made one for the channel of this binding. Without:
    // refused.
    std::function<Result<Peer>(const std::string& credential, std::string_view binding)> munge = {};
  };
  // `keys` must live as long.
  Authenticator(const Keys& keys, Options options) : keys_(keys), options_(std::move(options)) {}

  // `binding` of the channel it came over; empty without TLS.
  Result<Peer> authenticate(std::string_view token, std::string_view binding = {});
  // At most kClockSkewMax.
  void set_skew(Duration skew);
  Duration skew() const;

 private:
  Status use_once(const TokenClaims& claims, const Peer& peer, Instant now);

  const Keys& keys_;
  mutable std::mutex mutex_;
  Options options_;  // its skew is guarded by mutex_, the rest is constant
  // Guarded by mutex_. Nodes, which all are one user, have all room of their own.
  ReplayGuard served_, served_nodes_{{.of_one = ReplayGuard::Limits{}.of_all}};
};

// The same with keys of its own, which never change. For a Server.
Authenticate authenticate_with(KeyRing keys, std::string cluster, std::function<Instant()> now);

}  // namespace ym
