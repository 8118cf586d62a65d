// SPDX-License-Identifier: Apache-2.0
// Times that come back, as crontabs have them: "*/15 9-17 * jan,mar mon-fri", "@daily". Pure: the
// present and the time zone are arguments.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "notation/timestamp.h"

namespace ym {

struct CronTime {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;     // of the month, from 1
  std::bitset<13> months;   // from 1
  std::bitset<7> weekdays;  // 0 is Sunday
  // Where both days are restricted, either suffices.
  bool any_day = false, any_weekday = false;

  bool operator==(const CronTime&) const = default;

  // Five fields, or one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually,
  // @teatime, @noon, @fika and @elevenses. Each field: "*", numbers, ranges "a-b", steps "/n",
  // lists; months and days of the week also by their first three letters; 7 is Sunday, too.
  static Result<CronTime> parse(std::string_view text);
  // Canonical: five fields.
  std::string str() const;

  // The first minute after `after` that it means, within the next eight years; nothing if there is
  // none (30 February). A time that the clock passes over when it is set forward comes when the
  // clock has been.
  std::optional<Instant> next(Instant after, const TimeZone& zone) const;
};

// The time at the beginning of a crontab's line and what is behind it. Lines end with the text.
struct CronLine {
  CronTime time;
  std::string spec;  // as written
  std::string_view command;
};
Result<CronLine> parse_cron_line(std::string_view line);

}  // namespace ym
