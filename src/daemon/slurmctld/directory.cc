// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/directory.h"

#include <grp.h>
#include <unistd.h>

#include "os/users.h"

namespace ym {
namespace {

constexpr Duration kRemember = std::chrono::seconds(60);
constexpr std::size_t kEntriesMax = 100'000;

std::string group_name(std::uint32_t gid) {
  group entry{}, *found = nullptr;
  std::vector<char> buffer(16384);
  if (::getgrgid_r(gid, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return {};
  return found->gr_name;
}

}  // namespace

std::uint32_t uid_of_slurm_user(const std::string& name) {
  auto entry = user_by_name(name);
  return entry ? entry->uid : ::geteuid();
}

bool is_trusted(const Peer& peer, std::uint32_t slurm_user) {
  bool node = peer.kind == PeerKind::Token && peer.role == "node";
  return node || peer.uid == 0 || peer.uid == slurm_user;
}

Result<Peer> peer_named(const std::string& user) {
  auto entry = user_by_name(user);
  if (!entry) return std::unexpected(entry.error());
  return Peer{.uid = entry->uid, .gid = entry->gid};
}

Caller Directory::caller(const Peer& peer, Instant now) {
  Caller caller{.uid = {peer.uid},
                .gid = {peer.gid},
                .administrator = peer.uid == 0 || peer.uid == slurm_uid_};
  add_names(caller, now);
  if (!standings_ || caller.administrator) return caller;
  Standing standing = standings_(peer.uid, caller.user_name);
  caller.level = standing.level;
  caller.coordinates = std::move(standing.coordinates);
  caller.administrator = caller.level == AdminLevel::Administrator;
  return caller;
}

void Directory::add_names(Caller& caller, Instant now) {
  std::uint32_t uid = caller.uid.value;
  {
    std::lock_guard lock(mutex_);
    auto at = entries_.find(uid);
    if (at != entries_.end() && now - at->second.known_since < kRemember) {
      caller.user_name = at->second.name;
      caller.groups = at->second.groups;
      return;
    }
  }
  Entry entry{.name = std::to_string(uid), .known_since = now};
  if (auto user = user_by_uid(uid)) {
    entry.name = user->name;
    for (std::uint32_t gid : groups_of(user->name, user->gid))
      if (std::string name = group_name(gid); !name.empty())
        entry.groups.push_back(std::move(name));
  }
  caller.user_name = entry.name;
  caller.groups = entry.groups;
  std::lock_guard lock(mutex_);
  if (entries_.size() >= kEntriesMax) entries_.clear();
  entries_[uid] = std::move(entry);
}

}  // namespace ym
