// SPDX-License-Identifier: Apache-2.0
// What slurmd and a shepherd tell each other: the order in the spool, the marks that the shepherd
// leaves there, and the packets of its control socket. spool.h says where they are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/step.h"

namespace ym {

inline constexpr std::uint32_t kEveryTask = 0xffffffff;

struct TaskOrder {
  std::uint32_t rank = 0;              // in the step
  std::vector<std::string> arguments;  // program and arguments; empty: the order's
  std::string environment;             // beside the order's; NAME=value, each ended by NUL
  // Files, opened with the user's rights; relative to the working directory. Empty: the stream to
  // srun.
  std::string std_in, std_out, std_err;
  bool truncate_out = false, truncate_err = false;  // else appended to
};

// Everything that a shepherd needs. It never asks a name service: users and groups are numbers
// here.
struct ShepherdOrder {
  JobId job;
  Sluid sluid;
  StepId step;
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;
  std::string node, work_dir;
  std::string script;                  // a batch job's, written as slurm_script; empty for steps
  std::vector<std::string> arguments;  // of the program; a script's own name is put before them
  std::string environment;             // NAME=value, each ended by NUL
  std::vector<TaskOrder> tasks;
  std::uint32_t umask = 022;
  bool streams = false;  // an srun is connected
  bool pty = false;      // the first task gets a terminal
  std::uint16_t rows = 0, columns = 0;
  std::uint32_t stdin_task = kEveryTask;
  std::string srun_id;
  Duration kill_wait{30000};
  std::string boot_id;  // of the machine when the order was written
};

// The file `started`: the shepherd holds its lock and is about to start tasks.
struct StartedMark {
  std::uint32_t pid = 0;
  Instant at;
};

// The file `result`: everything of the step has ended.
struct ShepherdResult {
  ExitStatus exit;    // the highest of its tasks
  std::string error;  // why it could not be started
  bool out_of_memory = false;
};

// One packet to a shepherd's control socket. A Resume comes with the new connection as a file
// descriptor.
enum class ControlKind : std::uint8_t { Signal = 0, Resume = 1 };
struct ControlPacket {
  ControlKind kind = ControlKind::Signal;
  std::uint16_t signal = 0;
  bool leaders_only = false;
  std::string srun_id;
  std::uint64_t received = 0;
  std::string residual;  // read from the connection, not yet looked at
};
inline constexpr std::size_t kControlPacketMax = 128 << 10;

}  // namespace ym
