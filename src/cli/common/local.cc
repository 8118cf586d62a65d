// SPDX-License-Identifier: Apache-2.0
#include "cli/common/local.h"

#include <array>
#include <ctime>
#include <limits>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/relative_time.h"
#include "notation/array.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/getent.h"

namespace ym::cli {
namespace {

constexpr std::size_t kNamesFileMax = 16 << 20;

std::map<std::uint32_t, std::string> names_in(const std::string& path) {
  auto text = read_file(path, kNamesFileMax);
  return text ? names_by_number(*text) : std::map<std::uint32_t, std::string>{};
}

// Names by number, of a file and then of the name service, each asked for once.
class Names {
 public:
  explicit Names(std::string database)
      : database_(std::move(database)), names_(names_in("/etc/" + database_)) {}

  std::string of(std::uint32_t number) {
    std::string text = fmt::format("{}", number);
    auto [at, is_new] = names_.try_emplace(number, text);
    if (!is_new || lookups_ >= kLookupsMax) return at->second;
    ++lookups_;
    auto line = getent(database_, text);
    if (!line) return text;
    auto found = names_by_number(*line);
    if (auto name = found.find(number); name != found.end()) at->second = name->second;
    return at->second;
  }

 private:
  static constexpr std::size_t kLookupsMax = 200;  // programs that one command starts for names
  std::string database_;
  std::map<std::uint32_t, std::string> names_;
  std::size_t lookups_ = 0;
};

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
  bool set = time && time < kNever;
  if (set && same_ignoring_case(format, "relative"))
    return print_relative(local_zone().to_local(time), local_zone().to_local(wall_clock()));
  if (!set || !format.starts_with('%')) return print_timestamp(time, local_zone(), unset);
  std::time_t seconds = time.unix_seconds();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 256> text{};
  std::size_t length = std::strftime(text.data(), text.size(), format.c_str(), &parts);
  return std::string(text.data(), length);
}

std::size_t array_text_max() {
  static const std::size_t most = [] {
    auto told = environment_variable("SLURM_BITSTR_LEN");
    if (!told) return ArrayExpression::kShownMax;
    std::size_t bytes = parse_unsigned<std::uint32_t>(*told).value_or(0);
    return bytes == 0 ? std::numeric_limits<std::size_t>::max() : bytes - 1;
  }();
  return most;
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

std::optional<LocalUser> user_in(std::string_view text, std::string_view wanted) {
  auto number = parse_unsigned<std::uint32_t>(wanted);
  for (std::string_view line : split(text, '\n')) {
    auto parts = split(line, ':');
    if (parts.size() < 4 || parts[0].empty()) continue;
    auto uid = parse_unsigned<std::uint32_t>(parts[2]);
    auto gid = parse_unsigned<std::uint32_t>(parts[3]);
    if (!uid || !gid) continue;
    if (parts[0] == wanted || uid == number)
      return LocalUser{.name = std::string(parts[0]), .uid = *uid, .gid = *gid};
  }
  return std::nullopt;
}

std::optional<LocalUser> local_user(std::string_view wanted) {
  auto text = read_file("/etc/passwd", kNamesFileMax);
  if (auto known = text ? user_in(*text, wanted) : std::nullopt) return known;
  auto line = getent("passwd", wanted);
  return line ? user_in(*line, wanted) : std::nullopt;
}

std::optional<std::uint32_t> local_group(std::string_view wanted) {
  if (auto number = parse_unsigned<std::uint32_t>(wanted)) return number;
  auto number_in = [&](std::string_view text) -> std::optional<std::uint32_t> {
    for (const auto& [number, name] : names_by_number(text))
      if (name == wanted) return number;
    return std::nullopt;
  };
  auto text = read_file("/etc/group", kNamesFileMax);
  if (auto known = text ? number_in(*text) : std::nullopt) return known;
  auto line = getent("group", wanted);
  return line ? number_in(*line) : std::nullopt;
}

// The files are read once: a long queue asks for each of its jobs.
std::string group_name(std::uint32_t gid) {
  static Names names("group");
  return names.of(gid);
}
std::string user_name(std::uint32_t uid) {
  static Names names("passwd");
  return names.of(uid);
}

}  // namespace ym::cli
