// SPDX-License-Identifier: Apache-2.0
#include "net/admission.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <utility>

#include "base/format.h"

namespace ym {
namespace {

// Whoever holds less is never cut off for what others hold.
constexpr std::size_t kSmall = 64u << 10;

}  // namespace

std::size_t connections_within(std::uint64_t open_files) {
  constexpr std::size_t kWanted = 20'000, kOurs = 256;
  if (open_files == 0 || open_files >= kWanted + kOurs) return kWanted;
  return open_files > 2 * kOurs ? static_cast<std::size_t>(open_files) - kOurs : kOurs;
}

AdmissionLimits shares_of(std::size_t connections, AdmissionLimits limits) {
  auto bound = [](std::size_t& limit, std::size_t share) {
    limit = std::min(limit, std::max<std::size_t>(share, 1));
  };
  // With both doors full and as many users as there may be, an eighth is left.
  bound(limits.unknown_max, connections / 8);
  bound(limits.unknown_of_one_max, connections / 16);
  bound(limits.connections_of_one_max, connections / 4);
  bound(limits.connections_of_users_max, connections / 8 * 5);
  return limits;
}

std::string Admission::origin_of(const Peer& peer) {
  if (peer.kind == PeerKind::Unix) return fmt::format("uid {}", peer.uid);
  std::string host = peer.address.substr(0, peer.address.rfind(':'));
  in6_addr v6;
  if (host.size() < 2 || host.front() != '[' ||
      ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6) != 1)
    return host;
  char text[INET6_ADDRSTRLEN] = "";
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return ::inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof text);
  std::fill(v6.s6_addr + 8, v6.s6_addr + 16, 0);
  ::inet_ntop(AF_INET6, &v6, text, sizeof text);
  return fmt::format("{}/64", text);
}

Admission::Door::Rank Admission::Door::rank(const std::string& origin, const Waiting& waiting) {
  return {waiting.size(), ~waiting.begin()->first.value, origin};
}

std::size_t Admission::Door::size_of(const std::string& origin) const {
  auto at = waiting_.find(origin);
  return at == waiting_.end() ? 0 : at->second.size();
}

void Admission::Door::add(const std::string& origin, ConnectionId id, Deadline grace) {
  Waiting& waiting = waiting_[origin];
  if (!waiting.empty()) by_size_.erase(rank(origin, waiting));
  waiting.emplace(id, grace);
  by_size_.insert(rank(origin, waiting));
  ++size_;
}

void Admission::Door::remove(const std::string& origin, ConnectionId id) {
  auto at = waiting_.find(origin);
  if (at == waiting_.end() || !at->second.contains(id)) return;
  by_size_.erase(rank(origin, at->second));
  at->second.erase(id);
  --size_;
  if (at->second.empty())
    waiting_.erase(at);
  else
    by_size_.insert(rank(origin, at->second));
}

ConnectionId Admission::Door::room_for(const std::string& origin,
                                       const AdmissionLimits& limits) const {
  std::size_t own = size_of(origin);
  const std::string& from = own >= limits.unknown_of_one_max ? origin : largest();
  const auto& [id, grace] = *waiting_.at(from).begin();
  // One more of his would not be more than is left of theirs.
  bool more_than_share = from != origin && size_of(from) > own + 1;
  return more_than_share || grace.passed() ? id : ConnectionId{};
}

Result<Admission::Entrance> Admission::knock(const Peer& peer, ConnectionId id) {
  Entrance in{.place = {.origin = origin_of(peer), .door = peer.kind, .id = id, .uid = {}},
              .instead_of = {}};
  // He would end a flood.
  if (peer.kind == PeerKind::Unix && peer.uid == 0) {
    in.place.origin.clear();
    return in;
  }
  std::lock_guard lock(mutex_);
  Door& door = door_of(peer.kind);
  bool own_full = door.size_of(in.place.origin) >= limits_.unknown_of_one_max;
  if (own_full || door.size() >= limits_.unknown_max) {
    in.instead_of = door.room_for(in.place.origin, limits_);
    if (!in.instead_of)
      return fail(own_full ? fmt::format("too many connections from {} wait for authentication, "
                                         "come back later",
                                         in.place.origin)
                           : "too many connections wait for authentication, come back later");
    door.remove(own_full ? in.place.origin : std::string(door.largest()), in.instead_of);
  }
  door.add(in.place.origin, id, Deadline::in(limits_.hello_grace));
  return in;
}

Status Admission::enter(Place& place, std::uint32_t uid, bool trusted) {
  std::lock_guard lock(mutex_);
  User& user = users_[uid];
  if (user.connections >= limits_.connections_of_one_max && !trusted)
    return fail(fmt::format("uid {} has too many connections, come back later", uid));
  if (untrusted_ >= limits_.connections_of_users_max && !trusted)
    return fail("users have too many connections, come back later");
  ++user.connections;
  if (!trusted) ++untrusted_;
  place.trusted = trusted;
  if (!user.unread) user.unread = std::make_shared<Unread>(limits_.unread, unread_);
  place.uid = uid;
  place.unread = user.unread;
  door_of(place.door).remove(place.origin, place.id);
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
  if (!place.origin.empty()) door_of(place.door).remove(place.origin, place.id);
  if (place.uid) {
    User& user = users_[*place.uid];
    held_ -= place.held;
    user.held -= place.held;
    if (!place.trusted) --untrusted_;
    if (--user.connections == 0) users_.erase(*place.uid);
  }
  place = {};
}

}  // namespace ym
