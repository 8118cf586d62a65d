// SPDX-License-Identifier: Apache-2.0
// One task: the process, and the ends of its streams that the shepherd holds.
//
// Everything that touches the user's files (working directory, output files, the program) happens
// in the child after it has become the user: nothing is opened with root's rights.
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <string>

#include "base/result.h"
#include "net/address.h"
#include "shepherd/containment.h"
#include "shepherd/mpi.h"
#include "shepherd/order.h"

namespace ym {

inline constexpr std::size_t kPipeSize = 1 << 20;  // of an output that is used much

struct TaskStreams {
  Fd in, out, err;   // the shepherd's ends; non-blocking; empty where the task has a file
  bool pty = false;  // in and out are the same terminal
};

struct StartedTask {
  pid_t pid = 0;
  TaskStreams streams;
};

struct TaskSetup {
  const ShepherdOrder& order;
  const TaskOrder& task;
  std::string script;  // path, for a batch job
  const Containment& containment;
  rlimit open_files{};  // the limit that the task gets; the shepherd's own is higher
  // Opening a file may take for ever (a FIFO, a dead server). Meanwhile this descriptor is watched,
  // so that the step can be killed.
  int control = -1;
  std::function<void()> on_control;
  MpiSupport::TaskPart mpi;
  std::string
      container_spool;      // of a step in a container: the user's folder, if it is made already
  std::string notice = {};  // said on its stderr before its own
};

// An error is something that the user cannot see elsewhere: no process, no user, no output file. A
// program that cannot be executed is not one: the task says so on its stderr and exits with errno,
// as Slurm's do.
Result<StartedTask> start_task(const TaskSetup& setup);

// A process of the user that asks the runtime to kill the task's container, or to delete what is
// left of it; the files that were made for it go with it. 0: no process could be made.
enum class ContainerEnd : bool { Kill, Delete };
pid_t start_container_end(const TaskSetup& setup, pid_t task, ContainerEnd how);

// A process that runs the order's task epilogs after the task `task` has ended so. 0: there are
// none, or no process could be made.
pid_t start_task_epilogs(const TaskSetup& setup, pid_t task, ExitStatus exit);

}  // namespace ym
