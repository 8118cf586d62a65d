// SPDX-License-Identifier: Apache-2.0
// The options of sbatch, salloc and srun: one table, split by subject, each row saying which of the
// three know it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/options.h"
#include "model/job_messages.h"
#include "notation/timestamp.h"

namespace ym::cli {

enum JobCommand : std::uint8_t {
  kSbatch = 1,
  kSalloc = 2,
  kSrun = 4,
  kAllocators = 3,
  kAllCommands = 7
};

// Three ways to ask for memory that exclude each other.
enum class MemoryWish : std::uint8_t { PerNode, PerCpu, PerGpu };
// Other wishes of which two exclude each other (kClashes in submission.cc).
enum class Wish : std::uint8_t {
  Exclusive,
  Oversubscribe,
  CpusPerTask,
  CpusPerGpu,
  GpuGres,  // --gres with gpu
  GpusPerNode,
  Hint,
  SocketsPerNode,
  CoresPerSocket,
  Count,
};
// The nodes of --x11. The script of a batch job runs on the first.
enum class X11Where : std::uint8_t { All, Batch, First, Last };
// Where an option was given; later ones count more.
enum class OptionSource : std::uint8_t { Script = 1, Environment, Line };

// What the user asked for, before anything was made of it.
struct JobOptions {
  JobSpec spec;  // members that need no second thought are set directly
  JobExtras extras;
  JobSpecials specials;
  OptionSource source = OptionSource::Line;  // of what is being set just now
  std::uint8_t memory_given[3] = {0, 0, 0};  // OptionSource by MemoryWish; 0: not
  void enter_environment() { source = OptionSource::Environment; }
  void leave_environment() { source = OptionSource::Line; }
  // Of two ways to ask for memory the one from the stronger source counts.
  void give_memory(MemoryWish wish);
  std::uint8_t given[static_cast<std::size_t>(Wish::Count)] = {};  // OptionSource by Wish; 0: not
  void give(Wish wish) {
    given[static_cast<std::size_t>(wish)] = static_cast<std::uint8_t>(source);
  }
  std::uint8_t given_by(Wish wish) const { return given[static_cast<std::size_t>(wish)]; }
  std::string uid, gid, clusters, nodefile, burst_buffer_file;
  std::optional<std::uint32_t> immediate_s;
  std::optional<std::uint32_t> tasks, cpus_per_task, min_nodes, max_nodes, tasks_per_node, priority;
  std::string array, dependency, begin, deadline;
  std::string export_list;               // empty: ALL
  std::string export_file;               // a path, or the number of a descriptor
  std::optional<std::string> propagate;  // which resource limits; absent: as slurm.conf says
  std::string task_prolog, task_epilog;
  std::string srun_prolog, srun_epilog;  // empty: as slurm.conf says
  std::string wrap;
  std::string std_in, std_out, std_err;
  std::string chdir;
  bool hold = false, test_only = false, parsable = false, quiet = false, wait = false;
  bool hold_kill_invalid = false;
  bool ignore_pbs = false;             // sbatch: #PBS and #BSUB lines are comments
  std::optional<std::uint32_t> umask;  // told by such a line; otherwise ours
  bool wrap_given = false;
  std::uint32_t verbose = 0;
  // salloc
  bool no_shell = false;
  std::optional<bool> bell;  // unset: after a long wait
  // The signal that the command gets at the job's end; 0: the usual one.
  std::optional<std::uint16_t> kill_command;
  // srun
  std::uint32_t jobid = 0;
  bool label = false, unbuffered = false, pty = false, overlap = false, exact = false,
       whole = false;
  std::optional<bool> kill_on_bad_exit;      // unset: as slurm.conf says
  std::optional<std::uint32_t> task_wait_s;  // likewise
  bool multi_prog = false, external_launcher = false, no_allocate = false;
  bool disable_status = false, quit_on_interrupt = false, preserve_env = false;
  bool async = false, wait_for_children = false;
  bool exclusive_cpus = false;                 // --exclusive, of a step: as --exact
  std::vector<std::uint16_t> ignored_signals;  // --ignore-signals: not passed on
  std::optional<std::uint32_t> soft_nodes;     // of the surrounding allocation; -N counts more
  std::string mpi;
  std::string nodelist_file;
  std::optional<std::string> bcast, bcast_exclude;
  std::optional<bool> bcast_compress, send_libs;
  std::optional<std::uint32_t> relative;  // -r: the step begins at this node of the job
  IndexSet het_groups;                    // --het-group; empty: not given
  std::string hosts;                      // of an arbitrary layout: the host of each task, in order
  bool gpus_inherited = false;            // --gpus is the surrounding job's, by its variable
  std::optional<X11Where> x11;
  std::string answer;  // what --cpu-bind=help and its like asked for: printed instead of work
};

struct JobOption {
  Option<JobOptions> option;  // info.variable is the part behind SBATCH_ or SALLOC_
  std::uint8_t commands = kAllCommands;
  const char* srun_variable =
      nullptr;                      // the whole name; null: SLURM_ and the common part; "": none
  std::string_view other_variable;  // of sbatch and salloc: the whole name of a second one
  std::string_view srun_other{};    // of srun
};

// By subject, in the order of --help.
void add_identity_options(std::vector<JobOption>& table);
void add_resource_options(std::vector<JobOption>& table);
void add_layout_options(std::vector<JobOption>& table);
void add_generic_options(std::vector<JobOption>& table);
void add_machine_options(std::vector<JobOption>& table);
void add_binding_options(std::vector<JobOption>& table);
void add_time_options(std::vector<JobOption>& table);
void add_file_options(std::vector<JobOption>& table);
void add_launch_options(std::vector<JobOption>& table);
void add_queue_options(std::vector<JobOption>& table);
void add_run_options(std::vector<JobOption>& table);

// The table of one of the three commands.
std::vector<Option<JobOptions>> job_option_table(JobCommand command);
// The same with the standard options, made once.
const KnownOptions<JobOptions>& known_job_options(JobCommand command);

// What a submission needs to know of the world.
struct SubmissionContext {
  JobCommand command = kSbatch;
  Instant now;
  const TimeZone* zone = nullptr;
  std::string work_dir, host;
  std::uint32_t umask = 022;
  std::int32_t nice = 0;
  std::vector<std::string> environment;  // NAME=value
  std::string line;                      // as it was typed: typed_line
};
// The command and its words as they are kept with the job: at most kSubmitLineMax bytes, and no
// part of a character at the end.
std::string typed_line(JobCommand command, const std::vector<std::string>& words);
// GPUs or other generic resources.
bool wants_generic_resources(const JobOptions& options);
// Of two wishes that exclude each other the one from the stronger source counts.
Status settle_clashes(JobOptions& options);
// What is told before a request that is fulfilled in another way than was asked.
std::vector<std::string> submission_warnings(const JobOptions& options);

// Codes of make_submission's errors.
inline constexpr std::uint32_t kLikeController = 0x59000010;  // told as the controller's refusals
inline constexpr std::uint32_t kFatal = 0x59000011;           // "NAME: fatal: text"
// The request without its script. Checks what can be checked without the controller.
Result<SubmitJob> make_submission(const JobOptions& options, const SubmissionContext& context);
}  // namespace ym::cli
