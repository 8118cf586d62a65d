// SPDX-License-Identifier: Apache-2.0
// Monotonic time for deadlines: the only file of this room that reads a clock.
#pragma once
#include <algorithm>
#include <chrono>

#include "base/time.h"

namespace ym {

class Deadline {
 public:
  // Never.
  Deadline() = default;
  static Deadline in(Duration span) { return Deadline(Clock::now() + span); }

  bool passed() const { return at_ <= Clock::now(); }
  bool never() const { return at_ == Clock::time_point::max(); }
  // For poll(2): 0 when passed, -1 for never, rounded up.
  int poll_ms() const {
    if (never()) return -1;
    auto left = std::chrono::ceil<Duration>(at_ - Clock::now());
    return static_cast<int>(std::clamp<Duration::rep>(left.count(), 0, 1 << 30));
  }

 private:
  using Clock = std::chrono::steady_clock;
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_ = Clock::time_point::max();
};

}  // namespace ym
