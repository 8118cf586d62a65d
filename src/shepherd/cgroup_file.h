// SPDX-License-Identifier: Apache-2.0
// The files of control groups: small texts, written whole in one call.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

inline constexpr std::size_t kCgroupTextMax = 1 << 20;

// errno tells why not.
bool write_cgroup(const std::string& folder, std::string_view file, std::string_view text);
// Without the line's end. None if there is no such file.
std::optional<std::string> read_cgroup(const std::string& folder, std::string_view file);
// The number behind `word` in lines of "word number"; 0 if there is none.
std::uint64_t cgroup_count(const std::string& folder, std::string_view file, std::string_view word);
// Processes of this group, not of those within it.
std::vector<pid_t> cgroup_members(const std::string& folder);
bool has_cgroup_file(const std::string& folder, std::string_view file);

}  // namespace ym
