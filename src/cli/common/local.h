// SPDX-License-Identifier: Apache-2.0
// This machine's zone, and users and groups as it knows them: its own lists first, then the name
// service by way of getent (commands are static, so its modules are out of reach).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "notation/timestamp.h"

namespace ym::cli {

class LocalZone final : public TimeZone {
 public:
  CivilTime to_local(Instant time) const override;
  Instant to_utc(const CivilTime& local) const override;
};
const TimeZone& local_zone();

// "2026-11-15T21:24:15", or as SLURM_TIME_FORMAT wants it: standard, relative (relative_time.h)
// or a strftime format.
std::string show_time(Instant time, std::string_view unset);

// How many characters of a pending array's indices are shown: one less than SLURM_BITSTR_LEN says,
// which is 64 if nobody says anything; all of them for 0.
std::size_t array_text_max();

// The names of an /etc/passwd or /etc/group text by number. Broken lines are skipped.
std::map<std::uint32_t, std::string> names_by_number(std::string_view text);
// "users" for 100; the number if nobody knows it.
std::string group_name(std::uint32_t gid);
std::string user_name(std::uint32_t uid);

struct LocalUser {
  std::string name;
  std::uint32_t uid = 0, gid = 0;
};
// By name or number, in an /etc/passwd text.
std::optional<LocalUser> user_in(std::string_view text, std::string_view wanted);
std::optional<LocalUser> local_user(std::string_view wanted);
// The group's number by its name; a number is taken as it is.
std::optional<std::uint32_t> local_group(std::string_view wanted);

}  // namespace ym::cli
