// SPDX-License-Identifier: Apache-2.0
// Things that wait, in a lane for each owner; the lanes are served in turn. Whoever has much waits
// for himself. Within a lane the order stays.
//
// Invariants: (1) no lane is empty; (2) each lane has exactly one turn.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "base/check.h"

namespace ym {

template <class T>
class Lanes {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t size_of(std::uint32_t lane) const {
    auto at = lanes_.find(lane);
    return at == lanes_.end() ? 0 : at->second.size();
  }

  void add(std::uint32_t lane, T&& value) {
    auto [at, is_new] = lanes_.try_emplace(lane);
    if (is_new) turns_.push_back(lane);
    at->second.push_back(std::move(value));
    ++size_;
  }
  // The first of the lane whose turn it is. REQUIRES: !empty().
  T take() {
    YM_CHECK(!empty());
    std::uint32_t lane = turns_.front();
    turns_.pop_front();
    auto at = lanes_.find(lane);
    T value = std::move(at->second.front());
    at->second.pop_front();
    if (at->second.empty())
      lanes_.erase(at);
    else
      turns_.push_back(lane);
    --size_;
    return value;
  }
  void clear() {
    lanes_.clear();
    turns_.clear();
    size_ = 0;
  }

 private:
  std::map<std::uint32_t, std::deque<T>> lanes_;
  std::deque<std::uint32_t> turns_;
  std::size_t size_ = 0;
};

}  // namespace ym
