// SPDX-License-Identifier: Apache-2.0
#include "shepherd/cgroup_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "net/address.h"

namespace ym {

bool write_cgroup(const std::string& folder, std::string_view file, std::string_view text) {
  Fd fd(::open(fmt::format("{}/{}", folder, file).c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::optional<std::string> read_cgroup(const std::string& folder, std::string_view file) {
  Fd fd(::open(fmt::format("{}/{}", folder, file).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text;
  char piece[4096];
  ssize_t got = 0;
  while (text.size() < kCgroupTextMax && (got = ::read(fd.get(), piece, sizeof piece)) > 0)
    text.append(piece, static_cast<std::size_t>(got));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::uint64_t cgroup_count(const std::string& folder, std::string_view file,
                           std::string_view word) {
  auto text = read_cgroup(folder, file);
  if (!text) return 0;
  for (std::string_view line : split(*text, '\n')) {
    if (line.size() <= word.size() || !line.starts_with(word) || line[word.size()] != ' ') continue;
    return parse_u64(line.substr(word.size() + 1)).value_or(0);
  }
  return 0;
}

std::vector<pid_t> cgroup_members(const std::string& folder) {
  std::vector<pid_t> members;
  auto text = read_cgroup(folder, "cgroup.procs");
  if (!text) return members;
  for (std::string_view line : split(*text, '\n'))
    if (auto pid = parse_unsigned<std::uint32_t>(line); pid && *pid > 0)
      members.push_back(static_cast<pid_t>(*pid));
  return members;
}

bool has_cgroup_file(const std::string& folder, std::string_view file) {
  return ::access(fmt::format("{}/{}", folder, file).c_str(), F_OK) == 0;
}

}  // namespace ym
