// SPDX-License-Identifier: Apache-2.0
#include "cli/common/local.h"

#include <array>
#include <ctime>

#include "base/format.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr std::size_t kNamesFileMax = 16 << 20;

std::map<std::uint32_t, std::string> names_in(const char* path) {
  auto text = read_file(path, kNamesFileMax);
  return text ? names_by_number(*text) : std::map<std::uint32_t, std::string>{};
}

std::string name_or_number(const std::map<std::uint32_t, std::string>& names,
                           std::uint32_t number) {
  auto found = names.find(number);
  return found != names.end() ? found->second : fmt::format("{}", number);
}

}  // namespace

CivilTime LocalZone::to_local(Instant time) const {
  return civil_time_of(time.unix_seconds() + zone_offset_seconds(time));
}

Instant LocalZone::to_utc(const CivilTime& local) const {
  std::int64_t as_utc = unix_seconds_of(local);
  // The offset of a near instant, then once more with that: exact but for the hour of a change.
  std::int64_t guess = as_utc - zone_offset_seconds(Instant::from_unix_seconds(as_utc));
  return Instant::from_unix_seconds(as_utc -
                                    zone_offset_seconds(Instant::from_unix_seconds(guess)));
}

const TimeZone& local_zone() {
  static const LocalZone zone;
  return zone;
}

std::string show_time(Instant time, std::string_view unset) {
  static const std::string format = environment_variable("SLURM_TIME_FORMAT").value_or("");
  if (!format.starts_with('%') || !time || time >= kNever)
    return print_timestamp(time, local_zone(), unset);
  std::time_t seconds = time.unix_seconds();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 256> text{};
  std::size_t length = std::strftime(text.data(), text.size(), format.c_str(), &parts);
  return std::string(text.data(), length);
}

std::map<std::uint32_t, std::string> names_by_number(std::string_view text) {
  std::map<std::uint32_t, std::string> out;
  for (std::string_view line : split(text, '\n')) {
    auto parts = split(line, ':');
    if (parts.size() < 3 || parts[0].empty()) continue;
    if (auto number = parse_unsigned<std::uint32_t>(parts[2])) out.emplace(*number, parts[0]);
  }
  return out;
}

// The files are read once: a long queue asks for each of its jobs.
std::string group_name(std::uint32_t gid) {
  static const auto names = names_in("/etc/group");
  return name_or_number(names, gid);
}
std::string user_name(std::uint32_t uid) {
  static const auto names = names_in("/etc/passwd");
  return name_or_number(names, uid);
}

}  // namespace ym::cli
