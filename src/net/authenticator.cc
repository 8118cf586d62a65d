// SPDX-License-Identifier: Apache-2.0
#include "net/authenticator.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "net/token.h"

namespace ym {

void Authenticator::set_skew(Duration skew) {
  std::lock_guard lock(mutex_);
  options_.skew = std::clamp(skew, Duration{0}, kClockSkewMax);
}

Duration Authenticator::skew() const {
  std::lock_guard lock(mutex_);
  return options_.skew;
}

Result<Peer> Authenticator::authenticate(std::string_view token, std::string_view binding) {
  if (token.starts_with("MUNGE:")) {
    if (!options_.munge) return fail("credentials of MUNGE are not taken here (AuthType)");
    return options_.munge(std::string(token), binding);
  }
  Instant now = options_.now();
  Duration tolerance = skew();
  auto ring = keys_.ring();
  auto claims = verify_token(*ring, token, {.now = now, .skew = tolerance});
  if (!claims) return std::unexpected(claims.error());
  if (!claims->binding.empty() && claims->binding != binding)
    return fail("the token was made for another connection");
  // Who stands between, and got it by saying that there is no TLS, must not be a node with it.
  if (claims->binding.empty() && !binding.empty() && claims->kind == "node")
    return fail("over TLS a node's token is made for its connection");
  bool for_us = claims->audience == options_.cluster ||
                (claims->audience.empty() && options_.cluster_may_be_missing);
  if (!for_us)
    return fail(fmt::format("the token is for cluster \"{}\", not \"{}\"",
                            printable(claims->audience), options_.cluster));
  Peer peer{.kind = PeerKind::Token, .user = claims->user, .role = claims->kind};
  if (claims->uid && claims->gid) {
    peer.uid = *claims->uid;
    peer.gid = *claims->gid;
  } else {
    if (!options_.look_up) return fail("the token names no uid and gid");
    auto found = options_.look_up(claims->user);
    if (!found) return std::unexpected(found.error());
    peer.uid = found->uid;
    peer.gid = found->gid;
  }
  if (claims->once)
    if (Status fresh = use_once(*claims, peer, now); !fresh) return std::unexpected(fresh.error());
  return peer;
}

Status Authenticator::use_once(const TokenClaims& claims, const Peer& peer, Instant now) {
  // Times of tokens are whole seconds. Our own clock may have been set back since we started.
  Instant since = std::min(options_.started, now - std::chrono::seconds(1));
  if (claims.binding.empty() && claims.issued < since)
    return fail(
        "the token was made before this server started, come back with a new one (does it happen "
        "again: is that machine's clock behind?)");
  std::lock_guard lock(mutex_);
  ReplayGuard& guard = claims.kind == "node" ? served_nodes_ : served_;
  return guard.use({.uid = peer.uid,
                    .issued = claims.issued,
                    .id = claims.id,
                    .forget_at = claims.expires + options_.skew},
                   now);
}

Authenticate authenticate_with(KeyRing keys, std::string cluster, std::function<Instant()> now) {
  struct Own {
    Keys keys;
    Authenticator authenticator;
    Own(KeyRing ring, Authenticator::Options options)
        : keys(std::move(ring)), authenticator(keys, std::move(options)) {}
  };
  auto own = std::make_shared<Own>(
      std::move(keys),
      Authenticator::Options{.cluster = std::move(cluster), .now = std::move(now), .look_up = {}});
  return [own](std::string_view token, std::string_view binding) {
    return own->authenticator.authenticate(token, binding);
  };
}

}  // namespace ym
