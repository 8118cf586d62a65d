// SPDX-License-Identifier: Apache-2.0
// Programs of the configuration, run to their end.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ym {

enum class ChildPlace : bool {
  Apart,  // a daemon's: a session of its own, /dev/null for streams
  Here,   // a command's: our session, process group and streams
};
// `environment` is NAME=value, each ended by NUL. The caller reaps the process.
Result<pid_t> start_child(const std::vector<std::string>& arguments, std::string environment,
                          ChildPlace place = ChildPlace::Apart);

struct ChildEnd {
  std::string error;       // "exit code 3", "signal 9", "timed out after 5 s"; empty: it succeeded
  bool abandoned = false;  // `stop` said so; the program goes on
};
// Blocks until the program has ended. After `limit` (0: none) its process group is killed; REQUIRES
// a program Apart then.
// `stop` is asked several times a second.
ChildEnd wait_for_child(pid_t pid, Duration limit, const std::function<bool()>& stop);

// In words; empty for an exit code of 0. `status` is wait(2)'s.
std::string child_error(int status);

}  // namespace ym
