// SPDX-License-Identifier: Apache-2.0
// Spans of time as users write and read them: --time=2-12:30, squeue's 1-02:03:04, scontrol's
// 00:05:00.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ym {

struct TimeLimit {
  // Slurm keeps limits as 32-bit minutes; the two highest values mean "not set" and "unlimited"
  // there.
  static constexpr std::int64_t kMinutesMax = 0xfffffffd;

  std::chrono::seconds span{0};  // 0 if unlimited
  bool unlimited = false;

  bool operator==(const TimeLimit&) const = default;
  // Rounded up, as Slurm does with the seconds of a limit. REQUIRES: !unlimited.
  std::int64_t minutes() const { return (span.count() + 59) / 60; }
  static TimeLimit none() { return {.unlimited = true}; }
  static TimeLimit of(std::chrono::seconds span) { return {.span = span}; }
};

// minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes,
// days-hours:minutes:seconds, or UNLIMITED, INFINITE, -1. Fields may exceed 59, as with Slurm. What
// a limit of 0 means is for the caller to say.
Result<TimeLimit> parse_time_limit(std::string_view text);

// As squeue shows times: 0:05, 2:03:04, 1-02:03:04; a negative span is "INVALID".
std::string print_span(Duration span);
std::string print_time_limit(const TimeLimit& limit);
// As scontrol and sacct show them: 00:00:05, 02:03:04, 1-02:03:04. Either form parses to the same
// limit again.
std::string print_span_long(Duration span);
std::string print_time_limit_long(const TimeLimit& limit);

}  // namespace ym
