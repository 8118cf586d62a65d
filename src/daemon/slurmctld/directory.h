// SPDX-License-Identifier: Apache-2.0
// Names of users and groups, remembered for a while: name services may be slow.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "model/caller.h"
#include "net/peer.h"

namespace ym {

// What accounting knows of a user. Asked on network threads: must not block.
struct Standing {
  AdminLevel level = AdminLevel::None;
  std::vector<std::string> coordinates;  // accounts
};
using Standings = std::function<Standing(std::uint32_t uid, const std::string& user)>;

// Ours, if the machine does not know the name.
std::uint32_t uid_of_slurm_user(const std::string& name);
// Root, SlurmUser and the nodes: their connections are not counted against a user's limit.
bool is_trusted(const Peer& peer, std::uint32_t slurm_user);
// For tokens of other tools, which name their user only.
Result<Peer> peer_named(const std::string& user);

class Directory {
 public:
  // `slurm_user` is an administrator beside root. Without `standings` nobody else is anything.
  explicit Directory(std::uint32_t slurm_uid, Standings standings = {})
      : slurm_uid_(slurm_uid), standings_(std::move(standings)) {}

  // Who a peer is, with names. A uid without a name is its number in digits.
  Caller caller(const Peer& peer, Instant now);

 private:
  struct Entry {
    std::string name;
    std::vector<std::string> groups;
    Instant known_since;
  };
  void add_names(Caller& caller, Instant now);

  const std::uint32_t slurm_uid_;
  const Standings standings_;
  std::mutex mutex_;
  std::map<std::uint32_t, Entry> entries_;  // guarded by mutex_
};

}  // namespace ym
