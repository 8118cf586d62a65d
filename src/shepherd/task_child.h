// SPDX-License-Identifier: Apache-2.0
// The life of a task between fork and exec, and of a task epilog: in the child only.
#pragma once
#include <string>
#include <vector>

#include "net/address.h"
#include "shepherd/task.h"

namespace ym {

struct ChildEnds {
  Fd in, out, err;
  Fd trouble;  // where the child says why it failed; closed before anything that may take long
};

// Becomes the user, goes to the working directory, opens the streams, sets the limits, runs the
// task prologs, becomes the program.
[[noreturn]] void run_task(const TaskSetup& setup, ChildEnds& ends);

// Runs the order's task epilogs as the user, each for kTaskEpilogTime at most.
[[noreturn]] void run_task_epilogs(const TaskSetup& setup, pid_t task, ExitStatus exit);

// See ContainerEnd.
[[noreturn]] void run_container_end(const TaskSetup& setup, pid_t task, ContainerEnd how);

// "slurmstepd: error: TEXT" on the task's stderr.
void complain(const std::string& text);

// Becomes the program, or comes back with errno. A name without a slash is looked for in the PATH
// of `environment`. Both lists end with a null pointer.
int try_execute(const std::vector<std::string>& arguments, const std::vector<char*>& environment);

}  // namespace ym
