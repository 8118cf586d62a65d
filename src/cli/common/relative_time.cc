// SPDX-License-Identifier: Apache-2.0
#include "cli/common/relative_time.h"

#include <string_view>

#include "base/format.h"

namespace ym::cli {
namespace {

constexpr std::string_view kDays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kWeek = 7;

// Since 1 January 1970, a Thursday.
std::int64_t day_of(const CivilTime& time) {
  std::int64_t seconds = unix_seconds_of({.year = time.year, .month = time.month, .day = time.day});
  return seconds / 86400;
}

}  // namespace

std::string print_relative(const CivilTime& time, const CivilTime& now) {
  std::string clock = fmt::format("{:02}:{:02}", time.hour, time.minute);
  std::int64_t away = day_of(time) - day_of(now);
  if (away == 0) return fmt::format("{}:{:02}", clock, time.second);
  if (away == -1) return "Ystday " + clock;
  if (away == 1) return "Tomorr " + clock;
  if (away > 0 && away < kWeek)
    return fmt::format("{} {}", kDays[static_cast<std::size_t>(day_of(time) % kWeek)], clock);
  std::string_view month = kMonths[static_cast<std::size_t>(time.month - 1)];
  if (time.year == now.year) return fmt::format("{} {} {}", time.day, month, clock);
  return fmt::format("{} {} {}", time.day, month, time.year);
}

}  // namespace ym::cli
