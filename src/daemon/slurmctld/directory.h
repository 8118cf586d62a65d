// SPDX-License-Identifier: Apache-2.0
// Names of users and groups, remembered for a while: name services may be slow.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "base/time.h"
#include "model/caller.h"
#include "net/peer.h"

namespace ym {

class Directory {
 public:
  // `slurm_user` is an administrator beside root.
  explicit Directory(std::uint32_t slurm_uid) : slurm_uid_(slurm_uid) {}

  // Who a peer is, with names. A uid without a name is its number in digits.
  Caller caller(const Peer& peer, Instant now);

 private:
  struct Entry {
    std::string name;
    std::vector<std::string> groups;
    Instant known_since;
  };
  const std::uint32_t slurm_uid_;
  std::mutex mutex_;
  std::map<std::uint32_t, Entry> entries_;  // guarded by mutex_
};

}  // namespace ym
