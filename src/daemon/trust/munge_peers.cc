// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/munge_peers.h"

#include <memory>

#include "config/munge.h"
#include "os/munge.h"
#include "os/users.h"

namespace ym {

std::function<Result<Peer>(const std::string& credential)> munge_peers(
    const ClusterConfig& config) {
  MungeConfig munge = munge_of(config);
  if (!munge.enabled) return {};
  auto reader = std::make_shared<Result<MungeReader>>(MungeReader::open(munge.socket));
  return [reader, expected = munge_payload(config.cluster_name)](
             const std::string& credential) -> Result<Peer> {
    if (!*reader) return std::unexpected(reader->error());
    auto claims = (*reader)->read(credential);
    if (!claims) return std::unexpected(claims.error());
    if (claims->payload != expected) return fail("the MUNGE credential is not for this cluster");
    auto user = user_by_uid(claims->uid);
    return Peer{.kind = PeerKind::Token,
                .uid = claims->uid,
                .gid = claims->gid,
                .user = user ? user->name : std::string(),
                .role = "user"};
  };
}

}  // namespace ym
