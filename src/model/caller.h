// SPDX-License-Identifier: Apache-2.0
// Who asks. Made by the shell from the kernel's peer credentials or a verified token, never from a
// message.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"

namespace ym {

// What accounting says of a user; root and SlurmUser are above all of it.
enum class AdminLevel : std::uint8_t { None = 0, Operator = 1, Administrator = 2 };

struct Caller {
  Uid uid;
  Gid gid;
  std::string user_name;
  std::vector<std::string> groups;  // names, for AllowGroups; filled where the request needs them
  bool administrator = false;       // root, SlurmUser, or an administrator by accounting
  AdminLevel level = AdminLevel::None;
  std::vector<std::string> coordinates;  // accounts that the caller is coordinator of

  // May do to jobs and reservations of others what their owners may.
  bool operates() const { return administrator || level >= AdminLevel::Operator; }
  bool coordinates_account(std::string_view account) const {
    for (const std::string& one : coordinates)
      if (one == account) return true;
    return false;
  }
};

}  // namespace ym
