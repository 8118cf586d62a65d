// SPDX-License-Identifier: Apache-2.0
// Which request made which job, for as long as a client could ask again: whoever lost the answer to
// a submission repeats it, and gets the job that there is instead of a second one. Derived from the
// state, rebuilt at a start, so that it holds across restarts and controllers.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "model/state.h"

namespace ym {

class Submissions {
 public:
  // No client repeats a request for longer.
  static constexpr Duration kRemembered = std::chrono::minutes(10);
  static constexpr std::size_t kMost = 1'000'000;

  // Of the jobs in the state those that were submitted last. O(jobs).
  void rebuild(const State& state);
  // `job` is the one that the client was told of: of an array or heterogeneous job the first.
  void note(Uid uid, std::uint64_t submission, JobId job, Instant now);
  // None if it is new, or was forgotten. Nobody is told of somebody else's.
  JobId find(Uid uid, std::uint64_t submission) const;
  std::size_t size() const { return jobs_.size(); }

 private:
  using Key = std::pair<Uid, std::uint64_t>;
  std::map<Key, JobId> jobs_;
  std::deque<std::pair<Instant, Key>> by_time_;  // of jobs_, the oldest first
};

}  // namespace ym
