// SPDX-License-Identifier: Apache-2.0
// A program that runs as somebody else.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ym {

struct ChildIdentity {
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;
  std::string folder = "/";  // where it begins; "/" if it cannot
};
// In a session of its own, with /dev/null for streams. Without the rights to become that user it is
// an error, unless that is who we are. `environment` is NAME=value. The caller reaps the process.
Result<pid_t> start_child_as(const ChildIdentity& identity,
                             const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment);

}  // namespace ym
