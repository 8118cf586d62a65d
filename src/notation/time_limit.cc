// SPDX-License-Identifier: Apache-2.0
#include "notation/time_limit.h"

#include <array>
#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

struct Clock {
  std::int64_t days, hours, minutes, seconds;
};

Clock clock_of(Duration span) {
  std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  return {seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60};
}

// The seconds of a text without keywords; nothing if it is none of the forms or too long.
std::optional<std::int64_t> seconds_of(std::string_view text) {
  auto dash = text.find('-');
  std::uint64_t days = 0;
  if (dash != std::string_view::npos) {
    auto number = parse_unsigned<std::uint32_t>(text.substr(0, dash));
    if (!number) return std::nullopt;
    days = *number;
    text.remove_prefix(dash + 1);
  }
  auto parts = split(text, ':');
  if (parts.size() > 3) return std::nullopt;
  std::array<std::uint64_t, 3> fields{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto number = parse_unsigned<std::uint32_t>(parts[i]);
    if (!number) return std::nullopt;
    fields[i] = *number;
  }
  // Without days one or two fields begin with minutes, three and all after days begin with hours.
  bool hours_first = dash != std::string_view::npos || parts.size() == 3;
  std::uint64_t seconds =
      days * 86400 +
      (hours_first ? fields[0] * 3600 + fields[1] * 60 + fields[2] : fields[0] * 60 + fields[1]);
  if (seconds > static_cast<std::uint64_t>(TimeLimit::kMinutesMax) * 60) return std::nullopt;
  return static_cast<std::int64_t>(seconds);
}

}  // namespace

Result<TimeLimit> parse_time_limit(std::string_view text) {
  if (same_ignoring_case(text, "unlimited") || same_ignoring_case(text, "infinite") || text == "-1")
    return TimeLimit::none();
  if (auto seconds = seconds_of(text)) return TimeLimit::of(std::chrono::seconds(*seconds));
  return fail(
      fmt::format("Invalid time limit \"{}\": use minutes[:seconds], hours:minutes:seconds, "
                  "days-hours[:minutes[:seconds]] "
                  "or UNLIMITED",
                  printable(text, 64)));
}

std::string print_span(Duration span) {
  if (span < Duration::zero()) return "INVALID";
  Clock c = clock_of(span);
  if (c.days > 0) return fmt::format("{}-{:02}:{:02}:{:02}", c.days, c.hours, c.minutes, c.seconds);
  if (c.hours > 0) return fmt::format("{}:{:02}:{:02}", c.hours, c.minutes, c.seconds);
  return fmt::format("{}:{:02}", c.minutes, c.seconds);
}

std::string print_span_long(Duration span) {
  if (span < Duration::zero()) return "INVALID";
  Clock c = clock_of(span);
  if (c.days > 0) return fmt::format("{}-{:02}:{:02}:{:02}", c.days, c.hours, c.minutes, c.seconds);
  return fmt::format("{:02}:{:02}:{:02}", c.hours, c.minutes, c.seconds);
}

std::string print_time_limit(const TimeLimit& limit) {
  return limit.unlimited ? "UNLIMITED" : print_span(limit.span);
}

std::string print_time_limit_long(const TimeLimit& limit) {
  return limit.unlimited ? "UNLIMITED" : print_span_long(limit.span);
}

}  // namespace ym
