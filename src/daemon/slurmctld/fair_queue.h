// SPDX-License-Identifier: Apache-2.0
// The core's inputs: bounded, and fair among users. Each user's requests wait in a lane of his own,
// and lanes are served in turn: a flood of one user delays himself. Everything else (nodes, our own
// threads, administrators) shares a lane that is served first, with at most half of each turn as
// long as users wait.
//
// Within a lane the order stays. Between lanes it does not: what must stay in order shares a lane.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/lanes.h"
#include "daemon/slurmctld/queue.h"

namespace ym {

template <class T>
struct QueuedInLanes {
  using value_type = T;
  std::size_t size() const { return common.size() + users.size(); }
  void take(std::size_t most, std::vector<T>& taken) {
    take_common(users.empty() ? most : (most + 1) / 2, taken);
    while (!users.empty() && taken.size() < most) taken.push_back(users.take());
    take_common(most, taken);
  }
  void take_common(std::size_t until, std::vector<T>& taken) {
    for (; !common.empty() && taken.size() < until; common.pop_front())
      taken.push_back(std::move(common.front()));
  }
  std::deque<T> common = {};
  Lanes<T> users = {};
};

template <class T>
class FairQueue : public WaitingQueue<QueuedInLanes<T>> {
 public:
  // No lane: the common one.
  using Lane = std::optional<std::uint32_t>;

  FairQueue(std::size_t max, std::size_t lane_max)
      : WaitingQueue<QueuedInLanes<T>>({}), max_(max), lane_max_(lane_max) {}

  // Whether a value would be taken now.
  bool has_room(Lane lane) const {
    std::lock_guard lock(this->mutex_);
    return room(lane);
  }
  // False if the queue or the user's lane is full, or the queue closed; then `value` is untouched.
  bool try_push(Lane lane, T&& value) {
    return this->put([&](QueuedInLanes<T>& queued) {
      if (!room(lane)) return false;
      if (lane)
        queued.users.add(*lane, std::move(value));
      else
        queued.common.push_back(std::move(value));
      return true;
    });
  }
  // For what must not be dropped (an answer of our own threads): the bound does not hold it back.
  void push(T&& value) {
    this->put([&](QueuedInLanes<T>& queued) {
      queued.common.push_back(std::move(value));
      return true;
    });
  }

 private:
  // REQUIRES: mutex_ is held.
  bool room(Lane lane) const {
    const QueuedInLanes<T>& queued = this->items_;
    if (this->closed_ || queued.size() >= max_) return false;
    return !lane || queued.users.size_of(*lane) < lane_max_;
  }

  const std::size_t max_, lane_max_;
};

}  // namespace ym
