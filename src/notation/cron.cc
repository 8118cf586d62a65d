// SPDX-License-Identifier: Apache-2.0
#include "notation/cron.h"

#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kSpecMax = 1000;
constexpr int kYearsAhead = 8;  // a 29 February comes at least so often

struct Range {
  unsigned first, last;
  std::string_view names;  // three letters each, from `first` on
  const char* what;
};
constexpr Range kMinutes{0, 59, "", "minute"};
constexpr Range kHours{0, 23, "", "hour"};
constexpr Range kDays{1, 31, "", "day of the month"};
constexpr Range kMonths{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", "month"};
constexpr Range kWeekdays{0, 7, "sunmontuewedthufrisat", "day of the week"};

std::optional<unsigned> number_in(std::string_view text, const Range& range) {
  if (text.size() == 3) {
    std::string lower = to_lower(text);
    for (std::size_t at = 0; at + 3 <= range.names.size(); at += 3)
      if (range.names.substr(at, 3) == lower) return range.first + static_cast<unsigned>(at / 3);
  }
  auto number = parse_unsigned<unsigned>(text);
  if (!number || *number < range.first || *number > range.last) return std::nullopt;
  return number;
}

// "5", "1-5", "*/15", "10-50/20"
template <class Set>
bool add_part(std::string_view part, const Range& range, Set& set) {
  auto slash = part.find('/');
  unsigned step = 1;
  if (slash != part.npos) {
    auto number = parse_unsigned<unsigned>(part.substr(slash + 1));
    if (!number || *number == 0 || *number > range.last) return false;
    step = *number;
    part = part.substr(0, slash);
  }
  unsigned first = range.first, last = range.last;
  if (part != "*") {
    auto dash = part.find('-');
    auto from = number_in(part.substr(0, dash), range);
    auto to = dash == part.npos ? from : number_in(part.substr(dash + 1), range);
    if (!from || !to || *to < *from) return false;
    first = *from;
    // A step after a single number goes on to the end.
    last = dash == part.npos && slash != part.npos ? range.last : *to;
  } else if (range.last == 7) {
    last = 6;
  }
  for (unsigned i = first; i <= last; i += step) set.set(i % (range.last == 7 ? 7 : set.size()));
  return true;
}

template <class Set>
Status parse_field(std::string_view text, const Range& range, Set& set) {
  for (std::string_view part : split(text, ','))
    if (!add_part(part, range, set))
      return fail(fmt::format("\"{}\" is no {}", printable(text), range.what));
  return {};
}

std::string_view spelled_out(std::string_view word) {
  struct Word {
    std::string_view name, spec;
  };
  constexpr Word kWords[] = {
      {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
      {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
      {"@hourly", "0 * * * *"}, {"@noon", "0 12 * * *"},    {"@elevenses", "0 11 * * *"},
      {"@fika", "0 15 * * *"},  {"@teatime", "0 16 * * *"},
  };
  for (const Word& one : kWords)
    if (same_ignoring_case(one.name, word)) return one.spec;
  return {};
}

template <class Set>
std::string field_text(const Set& set, unsigned first, unsigned last) {
  bool all = true;
  std::string out;
  for (unsigned i = first; i <= last; ++i) {
    all = all && set.test(i);
    if (!set.test(i)) continue;
    unsigned end = i;
    while (end < last && set.test(end + 1)) ++end;
    if (!out.empty()) out += ',';
    out += end == i ? fmt::format("{}", i) : fmt::format("{}-{}", i, end);
    i = end;
  }
  return all ? "*" : out;
}

// 0 is Sunday.
unsigned weekday_of(const CivilTime& time) {
  CivilTime day{.year = time.year, .month = time.month, .day = time.day};
  std::int64_t days = unix_seconds_of(day) / 86400;
  return static_cast<unsigned>((days % 7 + 11) % 7);  // 1 January 1970 was a Thursday
}

bool day_matches(const CronTime& cron, const CivilTime& day) {
  if (!cron.months.test(static_cast<std::size_t>(day.month))) return false;
  bool by_day = cron.days.test(static_cast<std::size_t>(day.day));
  bool by_weekday = cron.weekdays.test(weekday_of(day));
  if (cron.any_day || cron.any_weekday) return by_day && by_weekday;
  return by_day || by_weekday;
}

}  // namespace

Result<CronTime> CronTime::parse(std::string_view text) {
  if (text.size() > kSpecMax) return fail("a time that is too long");
  std::string_view spec = text;
  if (text.starts_with('@')) {
    spec = spelled_out(text);
    if (spec.empty()) return fail(fmt::format("\"{}\" is no time", printable(text)));
  }
  std::vector<std::string_view> fields;
  for (std::string_view word : split_words(spec, ' '))
    for (std::string_view part : split_words(word, '\t')) fields.push_back(part);
  if (fields.size() != 5) return fail("a time has five fields");
  CronTime out;
  for (Status parsed :
       {parse_field(fields[0], kMinutes, out.minutes), parse_field(fields[1], kHours, out.hours),
        parse_field(fields[2], kDays, out.days), parse_field(fields[3], kMonths, out.months),
        parse_field(fields[4], kWeekdays, out.weekdays)})
    if (!parsed) return std::unexpected(parsed.error());
  out.any_day = out.days.count() == 31;
  out.any_weekday = out.weekdays.all();
  return out;
}

std::string CronTime::str() const {
  return fmt::format("{} {} {} {} {}", field_text(minutes, 0, 59), field_text(hours, 0, 23),
                     field_text(days, 1, 31), field_text(months, 1, 12),
                     field_text(weekdays, 0, 6));
}

std::optional<Instant> CronTime::next(Instant after, const TimeZone& zone) const {
  CivilTime time = zone.to_local(after);
  time.second = 0;
  // The next minute by the clock on the wall.
  time = civil_time_of(unix_seconds_of(time) + 60);
  int last_year = time.year + kYearsAhead;
  while (time.year <= last_year) {
    if (!day_matches(*this, time)) {
      CivilTime day{.year = time.year, .month = time.month, .day = time.day};
      time = civil_time_of(unix_seconds_of(day) + 86400);
      continue;
    }
    bool hour = hours.test(static_cast<std::size_t>(time.hour));
    if (hour && minutes.test(static_cast<std::size_t>(time.minute))) {
      Instant found = zone.to_utc(time);
      if (found > after) return found;
    }
    std::int64_t at = unix_seconds_of(time);
    time = civil_time_of(hour ? at + 60 : at - at % 3600 + 3600);
  }
  return std::nullopt;
}

Result<CronLine> parse_cron_line(std::string_view line) {
  auto skip = [&](std::string_view set, bool in) {
    std::size_t n = in ? line.find_first_not_of(set) : line.find_first_of(set);
    line.remove_prefix(std::min(n, line.size()));
  };
  skip(kBlanks, true);
  std::string_view whole = line;
  int fields = line.starts_with('@') ? 1 : 5;
  for (int i = 0; i < fields; ++i) {
    skip(kBlanks, true);
    skip(kBlanks, false);
  }
  std::string_view spec = whole.substr(0, whole.size() - line.size());
  skip(kBlanks, true);
  auto time = CronTime::parse(spec);
  if (!time) return std::unexpected(time.error());
  if (line.empty()) return fail("a command is missing");
  return CronLine{.time = *time, .spec = std::string(spec), .command = line};
}

}  // namespace ym
