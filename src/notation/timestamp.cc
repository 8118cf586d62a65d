// SPDX-License-Identifier: Apache-2.0
#include "notation/timestamp.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::size_t kTextMax = 64;
constexpr std::int64_t kSecondsMax = 253'402'300'799;  // 9999-12-31T23:59:59
constexpr std::uint64_t kDeltaMax = 100ull * 366 * 86400;

struct Date {
  std::optional<int> year;
  int month = 0, day = 0;
};
struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
};

// 1 to `digits_max` digits.
std::optional<int> field(std::string_view text, std::size_t digits_max) {
  if (text.size() > digits_max) return std::nullopt;
  auto number = parse_unsigned<std::uint16_t>(text);
  if (!number) return std::nullopt;
  return *number;
}

bool valid(int year, int month, int day) {
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

std::optional<TimeOfDay> with_meridiem(TimeOfDay time, bool afternoon) {
  if (time.hour < 1 || time.hour > 12) return std::nullopt;
  time.hour = time.hour % 12 + (afternoon ? 12 : 0);
  return time;
}

std::optional<TimeOfDay> named_time(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, int>, 5> kHours = {
      {{"midnight", 0}, {"elevenses", 11}, {"noon", 12}, {"fika", 15}, {"teatime", 16}}};
  for (auto [name, hour] : kHours)
    if (word == name) return TimeOfDay{.hour = hour};
  return std::nullopt;
}

// "16:00", "4:00:30pm"
std::optional<TimeOfDay> clock_time(std::string_view word) {
  bool am = word.ends_with("am"), pm = word.ends_with("pm");
  if (am || pm) word.remove_suffix(2);
  auto parts = split(word, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  std::array<int, 3> numbers{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto number = field(parts[i], 2);
    if (!number || *number > (i == 0 ? 23 : 59)) return std::nullopt;
    numbers[i] = *number;
  }
  TimeOfDay time{numbers[0], numbers[1], numbers[2]};
  return am || pm ? with_meridiem(time, pm) : time;
}

// "1225", "122526", "12/25/26", "12.25", "2026-12-25"
std::optional<Date> calendar_date(std::string_view word) {
  std::vector<std::string_view> parts;
  bool year_first = word.find('-') != std::string_view::npos;
  if (year_first) {
    parts = split(word, '-');
    if (parts.size() != 3 || parts[0].size() != 4) return std::nullopt;
    parts = {parts[1], parts[2], parts[0]};
  } else if (auto separator = word.find_first_of("/."); separator != std::string_view::npos) {
    parts = split(word, word[separator]);
    if (parts.size() > 3) return std::nullopt;
  } else {
    if (word.size() != 4 && word.size() != 6) return std::nullopt;
    for (std::size_t at = 0; at < word.size(); at += 2) parts.push_back(word.substr(at, 2));
  }
  auto month = field(parts[0], 2), day = field(parts[1], 2);
  if (!month || !day) return std::nullopt;
  Date date{.year = std::nullopt, .month = *month, .day = *day};
  if (parts.size() == 3) {
    if (parts[2].size() != 2 && parts[2].size() != 4) return std::nullopt;
    auto year = field(parts[2], 4);
    if (!year) return std::nullopt;
    date.year = parts[2].size() == 2 ? 2000 + *year : *year;
  }
  // A leap day is possible in some year.
  if (!valid(date.year.value_or(2000), date.month, date.day)) return std::nullopt;
  return date;
}

// Where the time of day begins behind a date: "2026-12-25T16:00", "122526-16:00", "12.25-noon". Two
// dashes are the date's own.
std::size_t end_of_date(std::string_view word) {
  auto dashes = std::ranges::count(word, '-');
  return dashes == 1 || dashes == 3 ? word.rfind('-') : word.find('t');
}

CivilTime days_after(CivilTime time, int days) {
  time.day += days;
  return civil_time_of(unix_seconds_of(time));
}

// The seconds of "+1hour", "-2days", "+60", or none for "".
std::optional<std::int64_t> delta(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> kUnits = {
      {{"seconds", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 86400}, {"weeks", 604800}}};
  if (text.empty()) return 0;
  bool back = text[0] == '-';
  if (!back && text[0] != '+') return std::nullopt;
  text.remove_prefix(1);
  auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  auto number = parse_unsigned<std::uint32_t>(text.substr(0, digits));
  std::string_view unit = text.substr(digits);
  if (!number) return std::nullopt;
  for (auto [name, seconds] : kUnits) {
    if (!name.starts_with(unit)) continue;  // no unit at all is the first one
    std::uint64_t span = *number * seconds;
    if (span > kDeltaMax) return std::nullopt;
    return back ? -static_cast<std::int64_t>(span) : static_cast<std::int64_t>(span);
  }
  return std::nullopt;
}

// Gathers the words of a text that is neither now… nor uts….
class Words {
 public:
  explicit Words(const CivilTime& now) : now_(now) {}

  bool take(std::string_view word) {
    if (word[0] >= '0' && word[0] <= '9')
      if (auto end = end_of_date(word); end != std::string_view::npos)
        return take_date(calendar_date(word.substr(0, end))) && take_clock(word.substr(end + 1));
    if (word == "am" || word == "pm") {
      if (!bare_clock_) return false;
      bare_clock_ = false;
      time_ = with_meridiem(*time_, word == "pm");
      return time_.has_value();
    }
    if (word == "today") return take_date(Date{now_.year, now_.month, now_.day});
    if (word == "tomorrow") {
      CivilTime next = days_after(now_, 1);
      return take_date(Date{next.year, next.month, next.day});
    }
    if (!named_time(word) && word.find(':') == std::string_view::npos)
      return take_date(calendar_date(word));
    return take_clock(word);
  }

  // The wall time that was meant; nothing if the day does not exist in its year.
  std::optional<CivilTime> resolve(Looking looking) const {
    TimeOfDay time = time_.value_or(TimeOfDay{});
    CivilTime out{now_.year, now_.month, now_.day, time.hour, time.minute, time.second};
    if (!date_) return looking == Looking::Ahead && out < now_ ? days_after(out, 1) : out;
    out.month = date_->month;
    out.day = date_->day;
    std::pair asked(out.month, out.day), today(now_.month, now_.day);
    if (date_->year)
      out.year = *date_->year;
    else if (looking == Looking::Ahead && asked < today)
      ++out.year;
    else if (looking == Looking::Back && asked > today)
      --out.year;
    if (!valid(out.year, out.month, out.day)) return std::nullopt;
    return out;
  }

 private:
  bool take_date(const std::optional<Date>& date) {
    if (!date || date_) return false;
    date_ = date;
    bare_clock_ = false;
    return true;
  }
  bool take_clock(std::string_view word) {
    auto named = named_time(word);
    if (time_) return false;
    time_ = named ? named : clock_time(word);
    bare_clock_ = !named && !word.ends_with('m');
    return time_.has_value();
  }

  const CivilTime now_;
  std::optional<Date> date_;
  std::optional<TimeOfDay> time_;
  bool bare_clock_ = false;  // the last word was a time that AM or PM may follow
};

std::optional<Instant> read(std::string_view text, Instant now, const TimeZone& zone,
                            Looking looking) {
  if (text.starts_with("uts")) {
    auto seconds = parse_u64(text.substr(3));
    if (!seconds || *seconds > static_cast<std::uint64_t>(kSecondsMax)) return std::nullopt;
    return Instant::from_unix_seconds(static_cast<std::int64_t>(*seconds));
  }
  if (text.starts_with("now")) {
    std::string rest(text.substr(3));
    std::erase(rest, ' ');
    auto seconds = delta(rest);
    if (!seconds) return std::nullopt;
    return now + std::chrono::seconds(*seconds);
  }
  Words words(zone.to_local(now));
  auto all = split_words(text, ' ');
  if (all.empty()) return std::nullopt;
  for (std::string_view word : all)
    if (!words.take(word)) return std::nullopt;
  auto local = words.resolve(looking);
  if (!local) return std::nullopt;
  return zone.to_utc(*local);
}

}  // namespace

std::int64_t unix_seconds_of(const CivilTime& time) {
  std::chrono::year_month_day first(std::chrono::year(time.year),
                                    std::chrono::month(static_cast<unsigned>(time.month)),
                                    std::chrono::day(1));
  std::int64_t days = std::chrono::sys_days(first).time_since_epoch().count() + (time.day - 1);
  return days * 86400 + time.hour * 3600 + time.minute * 60 + time.second;
}

CivilTime civil_time_of(std::int64_t unix_seconds) {
  std::int64_t days = unix_seconds / 86400, rest = unix_seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<int>(static_cast<unsigned>(date.month())),
          .day = static_cast<int>(static_cast<unsigned>(date.day())),
          .hour = static_cast<int>(rest / 3600),
          .minute = static_cast<int>(rest / 60 % 60),
          .second = static_cast<int>(rest % 60)};
}

CivilTime FixedOffset::to_local(Instant time) const {
  return civil_time_of(time.unix_seconds() + seconds_east_);
}

Instant FixedOffset::to_utc(const CivilTime& local) const {
  return Instant::from_unix_seconds(unix_seconds_of(local) - seconds_east_);
}

Result<Instant> parse_timestamp(std::string_view text, Instant now, const TimeZone& zone,
                                Looking looking) {
  if (text.size() <= kTextMax) {
    auto time = read(to_lower(trim(text)), now, zone, looking);
    if (time && time->unix_ms >= 0 && time->unix_seconds() <= kSecondsMax) return *time;
  }
  // Slurm's own words, which scripts look for.
  return fail(fmt::format("Invalid time specification: {}", printable(text, kTextMax)));
}

std::string print_timestamp(Instant time, const TimeZone& zone, std::string_view unset) {
  if (time.unix_ms <= 0 || time.unix_seconds() > kSecondsMax) return std::string(unset);
  CivilTime t = zone.to_local(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", t.year, t.month, t.day, t.hour,
                     t.minute, t.second);
}

}  // namespace ym
