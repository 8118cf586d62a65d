// SPDX-License-Identifier: Apache-2.0
// Who asks. Made by the shell from the kernel's peer credentials or a verified token, never from a
// message.
#pragma once
#include <string>
#include <vector>

#include "model/ids.h"

namespace ym {

struct Caller {
  Uid uid;
  Gid gid;
  std::string user_name;
  std::vector<std::string> groups;  // names, for AllowGroups; filled where the request needs them
  bool administrator = false;       // root or SlurmUser
};

}  // namespace ym
