// SPDX-License-Identifier: Apache-2.0
// What slurmd and a shepherd tell each other: the order in the spool, the marks that the shepherd
// leaves there, and the packets of its control socket. spool.h says where they are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/config.h"
#include "model/ids.h"
#include "model/launch.h"
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
  std::string cpus;             // it is bound to these, as a list ("0-3,8"); empty: not bound
  std::string mem_nodes;        // NUMA nodes, likewise
  std::uint8_t mem_policy = 0;  // MPOL_* of Linux
  std::string notice;           // said on its stderr before it starts: --cpu-bind=verbose
};

// DO NOT CHANGE THESE VALUES: they are in spools.
enum class ShepherdKind : std::uint8_t {
  Tasks = 0,    // a batch script or a step
  Extern = 1,   // no task of its own: holds the job's control group until it is ended
  Program = 2,  // slurmd's prolog or epilog, as root, with a time limit
};

// --get-user-env: the variables of a fresh login of the user, below those that the order gives.
struct LoginWish {
  std::string name, home, shell;  // empty shell: no such wish
  bool plain = false;             // the shell without its login files
  Duration time_limit{0};
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
  ShepherdKind kind = ShepherdKind::Tasks;
  Duration time_limit{0};  // of a Program; 0: none
  std::vector<ResourceLimit> limits;
  std::int32_t nice = 0;
  std::vector<std::string> task_prologs, task_epilogs;  // slurm.conf's, then the user's
  std::string job_cpus, cpus;  // of the job on this node, of this step; lists; empty: all
  std::uint32_t job_row = 0;   // in which the job shares its CPUs; 0: it does not
  std::uint64_t job_memory_mb = 0, memory_mb = 0;  // likewise; 0: not limited
  bool oom_kill_step = false;
  CgroupConfig cgroup;
  std::vector<std::string> devices;  // "c 195:0 rwm": those that the step may use
  std::string mpi;                   // none, pmi1, pmix
  std::uint32_t node_number = 0;     // within the step
  std::vector<StepShare> shares;     // of all nodes of the step, for MPI libraries
  std::vector<std::string> node_names;
  std::string world;  // what MPI libraries call it; empty: JOB.STEP
  std::uint32_t acct_frequency_s = 30;
  Duration unkillable_timeout = std::chrono::seconds(60);
  std::string unkillable_program;
  std::string temp_dir;    // TMPDIR falls back to it
  bool in_extern = false;  // of a Program: in the control group of the extern step
  LoginWish login;
  Duration resume_wait = std::chrono::seconds(60);  // for a lost srun
  // --cpu-freq, CpuFreqDef, CpuFreqGovernors, and where the kernel shows CPUs.
  std::string cpu_freq, cpu_freq_default, cpu_governors, sysfs = "/sys";
  // --gpu-freq, GpuFreqDef, NVIDIA's program that sets clocks, and the files of the step's GPUs.
  std::string gpu_freq, gpu_freq_default, nvidia_smi;
  std::vector<std::string> gpu_files;
  bool wait_for_children = false;  // the step is over when no process is left
  // Its control socket's name, without a file: chance, so that nobody has taken it before. Both
  // sides ask the kernel who the other is.
  std::string control;
  std::string container;  // OCI bundle that its tasks run in; empty: none
  OciConfig oci;
  std::string user_name, spool_dir;  // for the patterns of oci.conf
};

// The file `started`: the shepherd holds its lock and is about to start tasks.
struct StartedMark {
  std::uint32_t pid = 0;
  Instant at;
};

// The file `result`: everything of the step has ended.
// Why a node is drained that could not start a batch script; Slurm's words.
inline constexpr const char* kBatchLaunchFailure = "batch job complete failure";

struct ShepherdResult {
  ExitStatus exit;    // the highest of its tasks
  std::string error;  // why it could not be started
  bool out_of_memory = false;
  StepUsage usage;
  std::string drain_reason;    // the node should get no more work
  bool on_order = false;       // a program that slurmd had killed with its job
  bool launch_failed = false;  // it was never started, and not for a reason of its own
};

// One packet to a shepherd's control socket. A Resume comes with the new connection as a file
// descriptor.
// An Attach, too: it is sattach's. A Query is answered on the same connection with a StepHere, a
// Memory with a ShepherdMemory.
enum class ControlKind : std::uint8_t {
  Signal = 0,
  Resume = 1,
  Attach = 2,
  Query = 3,
  Freeze = 4,
  Thaw = 5,
  Memory = 6,
};
struct ControlPacket {
  ControlKind kind = ControlKind::Signal;
  std::uint16_t signal = 0;
  bool leaders_only = false;
  std::string srun_id;
  std::uint64_t received = 0;
  std::string residual;             // read from the connection, not yet looked at
  std::uint32_t task = kEveryTask;  // Attach
  bool input = false;               // Attach
  std::string notice;               // Signal: written to the tasks' stderr first
  std::uint64_t memory_mb = 0;      // Memory: no more than this; 0: only tell
};
struct ShepherdMemory {
  std::uint32_t pid = 0;          // the shepherd's: a packet is never empty
  std::uint64_t limit_mb = 0;     // of the whole job here, from now on; 0: nothing limits it
  std::uint64_t job_mb = 0;       // resident, of all its steps here; 0: not known
  std::uint64_t resident_mb = 0;  // of this step
};
inline constexpr std::size_t kControlPacketMax = 128 << 10;

}  // namespace ym
