// SPDX-License-Identifier: Apache-2.0
// The core's inputs: bounded, and fair among users. Each user's requests wait in a lane of his own,
// and lanes are served in turn: a flood of one user delays himself. Everything else (nodes, our own
// threads, administrators) shares a lane that is served first, with at most half of each turn as
// long as users wait.
//
// Within a lane the order stays. Between lanes it does not: what must stay in order shares a lane.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"

namespace ym {

template <class T>
class FairQueue {
 public:
  // No lane: the common one.
  using Lane = std::optional<std::uint32_t>;

  FairQueue(std::size_t max, std::size_t lane_max) : max_(max), lane_max_(lane_max) {}

  // Whether a value would be taken now.
  bool has_room(Lane lane) const {
    std::lock_guard lock(mutex_);
    return room(lane);
  }
  // False if the queue or the user's lane is full, or the queue closed; then `value` is untouched.
  bool try_push(Lane lane, T&& value) {
    {
      std::lock_guard lock(mutex_);
      if (!room(lane)) return false;
      add(lane, std::move(value));
    }
    ready_.notify_one();
    return true;
  }
  // For what must not be dropped (an answer of our own threads): the bound does not hold it back.
  void push(T&& value) {
    {
      std::lock_guard lock(mutex_);
      add(std::nullopt, std::move(value));
    }
    ready_.notify_one();
  }

  // Waits until there is something, the time is over or the queue is closed; takes up to `most`.
  std::vector<T> take(std::size_t most, Duration wait) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, wait, [&] { return size_ > 0 || closed_; });
    std::vector<T> taken;
    take_common(lanes_.empty() ? most : (most + 1) / 2, taken);
    while (!turns_.empty() && taken.size() < most) take_turn(taken);
    take_common(most, taken);
    return taken;
  }

  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return size_;
  }
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }
  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }
  void wake() { ready_.notify_all(); }

 private:
  bool room(Lane lane) const {
    if (closed_ || size_ >= max_) return false;
    if (!lane) return true;
    auto at = lanes_.find(*lane);
    return at == lanes_.end() || at->second.size() < lane_max_;
  }
  void add(Lane lane, T&& value) {
    ++size_;
    if (!lane) return common_.push_back(std::move(value));
    auto [at, is_new] = lanes_.try_emplace(*lane);
    if (is_new) turns_.push_back(*lane);
    at->second.push_back(std::move(value));
  }
  void take_common(std::size_t until, std::vector<T>& taken) {
    while (!common_.empty() && taken.size() < until) take_front(common_, taken);
  }
  void take_turn(std::vector<T>& taken) {
    std::uint32_t lane = turns_.front();
    turns_.pop_front();
    auto at = lanes_.find(lane);
    take_front(at->second, taken);
    if (at->second.empty())
      lanes_.erase(at);
    else
      turns_.push_back(lane);
  }
  void take_front(std::deque<T>& from, std::vector<T>& taken) {
    taken.push_back(std::move(from.front()));
    from.pop_front();
    --size_;
  }

  const std::size_t max_, lane_max_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  // All guarded by mutex_.
  std::deque<T> common_;
  std::map<std::uint32_t, std::deque<T>> lanes_;  // none is empty
  std::deque<std::uint32_t> turns_;               // each lane once
  std::size_t size_ = 0;
  bool closed_ = false;
};

}  // namespace ym
