// SPDX-License-Identifier: Apache-2.0
// A daemon that was started as root and goes on as somebody else, with its files. As os/users.h,
// not for static programs.
#pragma once
#include <string>

#include "base/result.h"
#include "os/users.h"

namespace ym {

// Becomes the user with all groups, for good: no capability is left, and there is no way back.
// REQUIRES: we are root, and have one thread.
Status become_for_good(const UserEntry& user);

// A file, folder or socket of root's becomes the user's; what is somebody else's stays as it is.
// Never follows a symbolic link, and leaves files with a second name alone, which may be anybody's.
// False if it is root's afterwards.
bool give_to(const UserEntry& user, const std::string& path);
// A folder of root's with all that is in it.
bool give_tree_to(const UserEntry& user, const std::string& path);

}  // namespace ym
