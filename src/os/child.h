// SPDX-License-Identifier: Apache-2.0
// Programs of the configuration, run to their end by a daemon: a session of their own, /dev/null
// for streams.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ym {

// `environment` is NAME=value, each ended by NUL. The caller reaps the process.
Result<pid_t> start_child(const std::vector<std::string>& arguments, std::string environment);

struct ChildEnd {
  std::string error;       // "exit code 3", "signal 9", "timed out after 5 s"; empty: it succeeded
  bool abandoned = false;  // `stop` said so; the program goes on
};
// Blocks until the program has ended. After `limit` (0: none) its process group is killed.
// `stop` is asked several times a second.
ChildEnd wait_for_child(pid_t pid, Duration limit, const std::function<bool()>& stop);

// In words; empty for an exit code of 0. `status` is wait(2)'s.
std::string child_error(int status);

}  // namespace ym
