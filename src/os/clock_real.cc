// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "os/clock.h"

#include "os/stopwatch.h"

namespace ym {

Instant wall_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec * 1000 + now.tv_nsec / 1'000'000};
}

Duration monotonic_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return Duration(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
}

int zone_offset_seconds(Instant at) {
  std::time_t seconds = at.unix_seconds();
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return static_cast<int>(local.tm_gmtoff);
}

std::chrono::nanoseconds fine_stopwatch() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::chrono::microseconds stopwatch() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace ym
