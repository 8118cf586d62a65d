// SPDX-License-Identifier: Apache-2.0
// How much of a server one address or one user may take, so that something is left for the others.
// Any thread may call.
//
// A connection knocks when it is accepted (somebody at an address, on a Unix socket a user), enters
// when it is known whose it is, holds the bytes of a message that is not whole yet, and leaves.
// Invariant: what Place says is what was counted; leave() takes all of it back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "net/peer.h"
#include "net/unread.h"

namespace ym {

struct AdmissionLimits {
  std::size_t unknown_of_one_max = 250;            // that have not said hello yet, of one origin
  std::size_t connections_of_one_max = 5000;       // of one user
  std::size_t unfinished_max = 1u << 30;           // bytes of messages that are not whole, of all
  std::size_t unfinished_of_one_max = 256u << 20;  // and of one user
  UnreadLimits unread = {};                        // answers that wait for their readers
  // A message that is not whole after so long: its sender is cut off. 0: never.
  Duration message_deadline{std::chrono::seconds(60)};
};

class Admission {
 public:
  explicit Admission(AdmissionLimits limits = {}) : limits_(limits) {}

  // What a connection was counted as.
  struct Place {
    std::string origin;  // empty: not counted as unknown
    std::optional<std::uint32_t> uid;
    std::size_t held = 0;
    std::shared_ptr<Unread> unread = {};  // his, once he is known
  };

  // "uid 1000" on a Unix socket, else the address without its port.
  static std::string origin_of(const Peer& peer);

  Result<Place> knock(const Peer& peer);
  // Counted as this user's from now on. `trusted`: without limit. On failure the place is as
  // before.
  Status enter(Place& place, std::uint32_t uid, bool trusted);
  // It holds so many bytes of an unfinished message now.
  Status hold(Place& place, std::size_t bytes);
  void leave(Place& place);

  const AdmissionLimits& limits() const { return limits_; }

 private:
  struct User {
    std::size_t connections = 0, held = 0;
    std::shared_ptr<Unread> unread;
  };

  const AdmissionLimits limits_;
  std::mutex mutex_;
  // All guarded by mutex_; what is zero is not there.
  std::map<std::string, std::size_t> unknown_;
  std::map<std::uint32_t, User> users_;
  std::size_t held_ = 0;
  const std::shared_ptr<Unread::Count> unread_ = std::make_shared<Unread::Count>(0);
};

}  // namespace ym
