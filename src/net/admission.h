// SPDX-License-Identifier: Apache-2.0
// How much of a server one address or one user may take, so that something is left for the others.
// Any thread may call.
//
// A connection knocks when it is accepted (somebody at an address, on a Unix socket a user), enters
// when it is known whose it is, holds the bytes of a message that is not whole yet, and leaves.
// At the door of the network and at that of the Unix sockets there is a number of places each. Who
// finds no place gets that of another, if his origin has fewer than the other's: whoever holds most
// makes room, the oldest first. Nobody is sent away who may still be about to say hello, unless
// his origin takes more than its share.
// Invariants: (1) what Place says is what was counted; leave() takes all of it back. (2) No door
// has more than unknown_max waiting, root's on a Unix socket apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "base/result.h"
#include "base/time.h"
#include "net/deadline.h"
#include "net/peer.h"
#include "net/unread.h"

namespace ym {

struct AdmissionLimits {
  std::size_t unknown_max = 1000;                  // that have not said hello yet, at one door
  std::size_t unknown_of_one_max = 250;            // and of one origin
  std::size_t connections_of_one_max = 5000;       // of one user
  std::size_t connections_of_users_max = 12500;    // of all users who are not trusted
  std::size_t unfinished_max = 1u << 30;           // bytes of messages that are not whole, of all
  std::size_t unfinished_of_one_max = 256u << 20;  // and of one user
  UnreadLimits unread = {};                        // answers that wait for their readers
  // How long a hello may take, with TLS, before others of the same share come first.
  Duration hello_grace{std::chrono::seconds(1)};
  // A message that is not whole after so long: its sender is cut off. 0: never.
  Duration message_deadline{std::chrono::seconds(60)};
};

// As many connections as leave a daemon files of its own (log, journal, programs) when it may have
// so many open; 0: enough.
std::size_t connections_within(std::uint64_t open_files);
// The same limits for a server that takes so many connections: who is unknown, one user and all
// users together have shares of them, so that something is left for those who are trusted.
AdmissionLimits shares_of(std::size_t connections, AdmissionLimits limits);

class Admission {
 public:
  explicit Admission(AdmissionLimits limits = {}) : limits_(limits) {}

  // What a connection was counted as.
  struct Place {
    std::string origin;  // empty: not counted as unknown
    PeerKind door = PeerKind::Unix;
    ConnectionId id;
    std::optional<std::uint32_t> uid;
    bool trusted = false;
    std::size_t held = 0;
    std::shared_ptr<Unread> unread = {};  // his, once he is known
  };

  struct Entrance {
    Place place;
    ConnectionId instead_of;  // has lost its place to it: to be sent away
  };

  // "uid 1000" on a Unix socket, else the address without its port; of IPv6 the network (/64) that
  // one machine may choose its addresses from.
  static std::string origin_of(const Peer& peer);

  // `id`: greater than those of all who knocked before.
  Result<Entrance> knock(const Peer& peer, ConnectionId id);
  // Counted as this user's from now on. `trusted`: without limit. On failure the place is as
  // before.
  Status enter(Place& place, std::uint32_t uid, bool trusted);
  // It holds so many bytes of an unfinished message now.
  Status hold(Place& place, std::size_t bytes);
  void leave(Place& place);

  const AdmissionLimits& limits() const { return limits_; }

 private:
  // Who waits of one origin, the oldest first, and until when he may be about to say hello.
  using Waiting = std::map<ConnectionId, Deadline>;
  class Door {
   public:
    std::size_t size() const { return size_; }
    std::size_t size_of(const std::string& origin) const;
    void add(const std::string& origin, ConnectionId id, Deadline grace);
    // Nothing happens if it is not there: it had to make room.
    void remove(const std::string& origin, ConnectionId id);
    // Who makes room for one more of this origin. Nobody (0): there is none who should.
    ConnectionId room_for(const std::string& origin, const AdmissionLimits& limits) const;
    // Of whom it is.
    const std::string& largest() const { return std::get<2>(*by_size_.rbegin()); }

   private:
    // Greatest last; of equal ones that with the oldest.
    using Rank = std::tuple<std::size_t, std::uint64_t, std::string>;
    static Rank rank(const std::string& origin, const Waiting& waiting);

    std::map<std::string, Waiting> waiting_;
    std::set<Rank> by_size_;
    std::size_t size_ = 0;
  };
  Door& door_of(PeerKind kind) { return kind == PeerKind::Unix ? local_ : network_; }

  struct User {
    std::size_t connections = 0, held = 0;
    std::shared_ptr<Unread> unread;
  };

  const AdmissionLimits limits_;
  std::mutex mutex_;
  // All guarded by mutex_; what is zero is not there.
  Door local_, network_;
  std::map<std::uint32_t, User> users_;
  std::size_t held_ = 0, untrusted_ = 0;
  const std::shared_ptr<Unread::Count> unread_ = std::make_shared<Unread::Count>(0);
};

}  // namespace ym
