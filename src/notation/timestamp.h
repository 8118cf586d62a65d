// SPDX-License-Identifier: Apache-2.0
// Points in time as users write them: now+1hour, teatime tomorrow, 16:00 12/25,
// 2026-11-15T21:24:15. Pure: the present and the time zone are arguments.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ym {

// A clock on the wall. Months and days count from 1.
struct CivilTime {
  int year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0;
  auto operator<=>(const CivilTime&) const = default;
};

// As if the clock showed UTC. Days beyond the end of a month run into the next one.
std::int64_t unix_seconds_of(const CivilTime& time);
CivilTime civil_time_of(std::int64_t unix_seconds);

class TimeZone {
 public:
  virtual ~TimeZone() = default;
  virtual CivilTime to_local(Instant time) const = 0;
  // Of a time that the clock shows twice, or never, any near instant will do.
  virtual Instant to_utc(const CivilTime& local) const = 0;
};

// The same distance to UTC all year.
class FixedOffset final : public TimeZone {
 public:
  explicit FixedOffset(std::int64_t seconds_east = 0) : seconds_east_(seconds_east) {}
  CivilTime to_local(Instant time) const override;
  Instant to_utc(const CivilTime& local) const override;

 private:
  const std::int64_t seconds_east_;
};

// Where the missing half of a time lies: --begin looks ahead, sacct's --starttime looks back.
enum class Looking { Ahead, Back };

// Understood:
//   now, now+1hour, now-2days   (seconds, minutes, hours, days, weeks, also shortened; a plain
//   number is seconds) midnight noon elevenses(11:00) fika(15:00) teatime(16:00), HH:MM[:SS], with
//   AM or PM on request today tomorrow, MMDD[YY], MM/DD[/YY], MM.DD[.YY], YYYY-MM-DD; a date and a
//   time in either order, YYYY-MM-DDTHH:MM[:SS] uts<seconds since 1970>
// A date alone means its midnight. A time alone means today or, if that is past and we look ahead,
// tomorrow. A date without a year is the next one (today included) ahead, or the last one back.
Result<Instant> parse_timestamp(std::string_view text, Instant now, const TimeZone& zone,
                                Looking looking = Looking::Ahead);

// "2026-11-15T21:24:15"; `unset` for an instant that is not set, never comes or lies outside the
// years 1970 to 9999.
std::string print_timestamp(Instant time, const TimeZone& zone, std::string_view unset = "Unknown");

}  // namespace ym
