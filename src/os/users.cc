// SPDX-License-Identifier: Apache-2.0
#include "os/users.h"

#include <grp.h>
#include <pwd.h>

#include "base/format.h"

namespace ym {
namespace {

constexpr std::size_t kEntryMax = 64 << 10;
constexpr int kGroupsMax = 65536;

UserEntry entry_of(const passwd& found) {
  return {.name = found.pw_name,
          .home = found.pw_dir,
          .shell = found.pw_shell,
          .uid = found.pw_uid,
          .gid = found.pw_gid};
}

}  // namespace

Result<UserEntry> user_by_uid(std::uint32_t uid) {
  std::string space(kEntryMax, '\0');
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(uid, &entry, space.data(), space.size(), &found);
  if (!found) return fail(fmt::format("uid {} is not known on this machine", uid));
  return entry_of(entry);
}

Result<UserEntry> user_by_name(const std::string& name) {
  std::string space(kEntryMax, '\0');
  passwd entry{};
  passwd* found = nullptr;
  ::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found);
  if (!found) return fail(fmt::format("user {} is not known on this machine", name));
  return entry_of(entry);
}

std::vector<std::uint32_t> groups_of(const std::string& user, std::uint32_t gid) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (::getgrouplist(user.c_str(), gid, groups.data(), &count) < 0 && count < kGroupsMax) {
    groups.resize(
        static_cast<std::size_t>(count = std::max(count, static_cast<int>(groups.size()) * 2)));
  }
  groups.resize(static_cast<std::size_t>(std::min(count, static_cast<int>(groups.size()))));
  return {groups.begin(), groups.end()};
}

}  // namespace ym
