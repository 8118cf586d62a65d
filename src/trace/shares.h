// SPDX-License-Identifier: Apache-2.0
// Who has used how much, as accounting would know it: CPU time of each user, of which half is
// forgotten after PriorityDecayHalfLife. All accounts have the same share, and all users of one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "schedule/fair_tree.h"

namespace ym::trace {

// A user, perhaps of an account.
struct Sharer {
  std::string user, account;
};

class Shares {
 public:
  // half_life 0: nothing is forgotten.
  Shares(const std::vector<Sharer>& users, Duration half_life);

  // So many CPUs more, or fewer, are used from then on. REQUIRES: times do not fall.
  void add(std::uint32_t user, std::int64_t cpus, std::int64_t at_s);
  // In CPU seconds. O(1).
  double usage(std::uint32_t user, std::int64_t at_s) const;
  // O(users log users).
  ShareTable table(std::int64_t at_s) const;

 private:
  struct Account {
    Sharer who;
    double usage = 0;  // at `at_s`
    std::int64_t cpus = 0, at_s = 0;
  };
  std::vector<Account> users_;
  double forgotten_per_s_ = 0;
};

}  // namespace ym::trace
