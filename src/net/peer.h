// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connection, as far as it has been proved.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

// Never reused within the life of a Server. 0 is nobody.
struct ConnectionId {
  std::uint64_t value = 0;
  auto operator<=>(const ConnectionId&) const = default;
  explicit operator bool() const { return value != 0; }
};

enum class PeerKind : std::uint8_t {
  Unix,   // the kernel vouches for uid, gid and pid
  Token,  // a token signed with the cluster's key vouches for uid and gid; pid is 0
};

struct Peer {
  PeerKind kind = PeerKind::Unix;
  std::uint32_t uid = ~0u;
  std::uint32_t gid = ~0u;
  std::int32_t pid = 0;
  std::string user;           // the token's user name; empty on a Unix socket (nobody looked it up)
  std::string role;           // the token's kind ("user", "node", …); empty on a Unix socket
  std::uint16_t version = 0;  // of the protocol, as agreed in the handshake
  bool secure = false;        // over TLS
  std::string address;        // for people: "10.0.0.7:41234" or "unix:/run/…"
};

// Turns a token into what it proves: fill uid, gid, user and role. Called on a network thread; must
// not block, unless may_block says so. `binding` is the channel's, empty without TLS.
using Authenticate = std::function<Result<Peer>(std::string_view token, std::string_view binding)>;
// What proves to the sender of this token, at the other end of this channel, that we hold the
// cluster's key.
using Prove = std::function<std::string(std::string_view token, std::string_view binding)>;

}  // namespace ym
