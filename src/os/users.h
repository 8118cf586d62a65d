// SPDX-License-Identifier: Apache-2.0
// Users and groups, as the machine's name service knows them. May block; not for static programs.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ym {

struct UserEntry {
  std::string name, home, shell;
  std::uint32_t uid = 0, gid = 0;
};
Result<UserEntry> user_by_uid(std::uint32_t uid);
Result<UserEntry> user_by_name(const std::string& name);
// All groups that the user is in, `gid` among them.
std::vector<std::uint32_t> groups_of(const std::string& user, std::uint32_t gid);

}  // namespace ym
