// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/munge_peers.h"

#include <memory>

#include "config/munge.h"
#include "os/munge.h"
#include "os/users.h"

namespace ym {
namespace {

Peer peer_of(const MungeClaims& claims) {
  auto user = user_by_uid(claims.uid);
  return {.kind = PeerKind::Token,
          .uid = claims.uid,
          .gid = claims.gid,
          .user = user ? user->name : std::string(),
          .role = "user"};
}

}  // namespace

bool asks_munge(std::string_view token) { return token.starts_with(kMungePrefix); }

std::function<Result<Peer>(const std::string& credential, std::string_view binding)> munge_peers(
    const ClusterConfig& config) {
  MungeConfig munge = munge_of(config);
  if (!munge.enabled) return {};
  auto reader = std::make_shared<Result<MungeReader>>(MungeReader::open(munge.socket));
  return [reader, cluster = config.cluster_name](const std::string& credential,
                                                 std::string_view binding) -> Result<Peer> {
    if (!*reader) return std::unexpected(reader->error());
    auto claims = (*reader)->read(credential);
    if (!claims) return std::unexpected(claims.error());
    if (claims->payload == munge_payload(cluster, binding)) return peer_of(*claims);
    return fail(claims->payload.starts_with(munge_payload(cluster, {}))
                    ? "the MUNGE credential was made for another connection"
                    : "the MUNGE credential is not for this cluster");
  };
}

}  // namespace ym
