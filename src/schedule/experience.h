// SPDX-License-Identifier: Apache-2.0
// What was seen of jobs that are over: how much of their time limits they really take, and how long
// the queue has been. Policies forecast with it; promises are made by limits alone.
//
// Learnt anew after a restart; until a job has ended, limits are taken at their word.
#pragma once
#include <array>
#include <map>

#include "base/time.h"
#include "model/ids.h"
#include "model/job.h"

namespace ym {

class Experience {
 public:
  // A job is over. Counts how long it ran, if that says something about its kind: not if it was
  // cancelled, or ended by others. O(log users).
  void learn(const Job& job, Instant end);

  // The part of their limits that jobs take: of this user's last two, or else of everybody's.
  double accuracy_of(Uid user) const;
  // Of everybody's, by area, the latest counting most.
  double accuracy() const { return limits_ > 0 ? runs_ / limits_ : 1; }

  // The longest that the queue of that ground has been, given how long it is now, in seconds.
  // Halves in half a year, so that one bad week does not excuse every later one.
  double longest_queue_s(PartitionId ground, double queue_s, Instant now);

 private:
  static constexpr std::size_t kUsersMax = 100'000;  // later ones count as everybody does
  struct Last {
    std::array<double, 2> parts{};
    std::uint32_t count = 0;
  };
  std::map<Uid, Last> users_;
  double runs_ = 0, limits_ = 0;  // cpus × seconds, decaying with each job
  struct Longest {
    double queue_s = 0;
    Instant seen;
  };
  std::map<PartitionId, Longest> longest_;
};

}  // namespace ym
