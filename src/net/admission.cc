// SPDX-License-Identifier: Apache-2.0
#include "net/admission.h"

#include <utility>

#include "base/format.h"

namespace ym {
namespace {

// Whoever holds less is never cut off for what others hold.
constexpr std::size_t kSmall = 64u << 10;

}  // namespace

std::string Admission::origin_of(const Peer& peer) {
  if (peer.kind == PeerKind::Unix) return fmt::format("uid {}", peer.uid);
  return peer.address.substr(0, peer.address.rfind(':'));
}

Result<Admission::Place> Admission::knock(const Peer& peer) {
  Place place{.origin = origin_of(peer), .uid = {}};
  bool root = peer.kind == PeerKind::Unix && peer.uid == 0;
  std::lock_guard lock(mutex_);
  std::size_t& count = unknown_[place.origin];
  if (count >= limits_.unknown_of_one_max && !root)
    return fail(fmt::format("too many connections from {} wait for authentication, come back later",
                            place.origin));
  ++count;
  return place;
}

Status Admission::enter(Place& place, std::uint32_t uid, bool trusted) {
  std::lock_guard lock(mutex_);
  User& user = users_[uid];
  if (user.connections >= limits_.connections_of_one_max && !trusted)
    return fail(fmt::format("uid {} has too many connections, come back later", uid));
  ++user.connections;
  if (!user.unread) user.unread = std::make_shared<Unread>(limits_.unread, unread_);
  place.uid = uid;
  place.unread = user.unread;
  if (auto at = unknown_.find(place.origin); at != unknown_.end() && --at->second == 0)
    unknown_.erase(at);
  place.origin.clear();
  return {};
}

Status Admission::hold(Place& place, std::size_t bytes) {
  if (!place.uid || bytes == place.held) return {};
  std::lock_guard lock(mutex_);
  User& user = users_[*place.uid];
  held_ += bytes - place.held;
  user.held += bytes - place.held;
  bool grew = bytes > place.held;
  place.held = bytes;
  if (!grew || bytes <= kSmall) return {};
  if (held_ <= limits_.unfinished_max && user.held <= limits_.unfinished_of_one_max) return {};
  return fail("too many large messages are on their way, come back later");
}

void Admission::leave(Place& place) {
  std::lock_guard lock(mutex_);
  if (auto at = unknown_.find(place.origin);
      !place.origin.empty() && at != unknown_.end() && --at->second == 0)
    unknown_.erase(at);
  if (place.uid) {
    User& user = users_[*place.uid];
    held_ -= place.held;
    user.held -= place.held;
    if (--user.connections == 0) users_.erase(*place.uid);
  }
  place = {};
}

}  // namespace ym
