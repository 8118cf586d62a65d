// SPDX-License-Identifier: Apache-2.0
// Virtual time: what is to happen, in the order of its time and then of its asking.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "base/time.h"

namespace ym::sim {

class Timeline {
 public:
  explicit Timeline(Instant start) : now_(start) {}

  Instant now() const { return now_; }
  std::uint64_t steps() const { return steps_; }
  void after(Duration delay, std::function<void()> act) {
    queue_.emplace(std::pair(now_ + delay, ++asked_), std::move(act));
  }
  // Goes to the next thing that is to happen and does it. REQUIRES: something is.
  void step() {
    auto first = queue_.extract(queue_.begin());
    now_ = first.key().first;
    ++steps_;
    first.mapped()();
  }

 private:
  Instant now_;
  std::uint64_t asked_ = 0, steps_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> queue_;
};

}  // namespace ym::sim
