// SPDX-License-Identifier: Apache-2.0
// Steps: between srun and the controller (who may run where), and between srun and the nodes
// (launch and streams).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/step.h"

namespace ym {

struct CreateStep {
  JobId job;
  std::string name;
  std::uint32_t tasks = 0;  // 0: one for each node
  std::uint32_t cpus_per_task = 1;
  // At least so many; 0: all that could take a task, as far as there are tasks.
  std::uint32_t nodes = 0;
  std::uint32_t max_nodes = 0;  // 0: no more than `nodes`, if that is given
  std::uint32_t tasks_per_node = 0;
  std::uint64_t memory_per_node_mb = 0;
  std::string node_list, excluded_nodes;  // of `nodes` these, if they are fewer
  std::string features;                   // --constraint
  bool overlap = false;
  bool overcommit = false;
  bool whole = false;  // all cpus of the nodes, not only those of the tasks
  BindingWish binding;
  std::uint32_t time_limit_s = 0;  // 0: as long as the job
  std::string key;                 // the same request again gets the same step
  bool no_kill = false;
  Ref<GresOptions> gres;
  std::uint32_t ports = 0;  // --resv-ports: on each node; kPortForEachTask
  std::string container;    // --container: the path of an OCI bundle
  Ref<StepTexts> texts;
};
// As many ports as there are tasks on the node with the most of them.
inline constexpr std::uint32_t kPortForEachTask = 0xffffffff;

struct NodeAddress {
  NodeId node;
  std::string name, address;
  std::uint16_t port = 0;
};

// One srun for several components of a heterogeneous job: a step in each, all of them or none,
// under one number. Their tasks are numbered through in the order of the parts: each step's shares
// have the ranks that its tasks have among all.
struct CreateHetStep {
  std::vector<CreateStep> parts;
};

// What of a step that is one of several is the same in all of them.
struct StepWorld {
  std::uint32_t tasks = 0;              // of all; 0: the step stands alone
  std::uint32_t first_node = 0;         // number of this step's first node among all
  std::vector<StepShare> shares;        // of all
  std::vector<std::string> node_names;  // for each of them
  std::uint32_t first_task = 0;         // of this step
  std::string job_nodes;                // hostlist of all their jobs' nodes
  std::vector<std::uint32_t> job_cpus;  // for each of these
  std::string name;                     // for MPI libraries, which know all as one: "7.0"
};

// What a node needs to know to let a step run; signed by the controller, checked by slurmd.
struct StepCredential {
  JobId job;
  Sluid sluid;
  Step step;
  Uid uid;
  Gid gid;
  std::string user_name, account, partition, cluster, job_name, qos;
  std::string job_nodes;                // hostlist
  std::string step_nodes;               // hostlist, in the order of the shares
  std::vector<std::uint32_t> job_cpus;  // for each node of job_nodes
  std::vector<std::string> node_names;  // for each share of the step
  std::uint64_t memory_per_node_mb = 0;
  JobId array_job;
  std::uint32_t array_task = kNoTask;
  Instant issued, expires;
  std::vector<std::uint64_t> job_memory_mb;  // for each node of job_nodes; 0: not limited
  std::string work_dir, comment, constraints, reservation;  // of the job, for prologs
  Instant start, limit_end;
  std::uint32_t restarts = 0;
  std::uint8_t oom_kill_step = 0;
  std::vector<std::uint32_t> job_tasks;  // for each node of job_nodes
  Ref<GresShares> job_gres;              // all nodes of the job
  JobId het_job;                         // none: the job is not heterogeneous
  std::uint32_t het_offset = 0, het_count = 0;
  StepWorld world;
  std::vector<std::uint32_t> job_rows;  // for each node of job_nodes; empty: it shares no CPUs
};

struct StepCreated {
  JobId job;
  Step step;
  std::vector<NodeAddress> nodes;
  std::string credential, signature;  // an encoded StepCredential
};

struct HetStepCreated {
  std::vector<StepCreated> parts;  // in the order in which they were asked for
};

// --- srun to slurmd: the first message of a stream; then the connection belongs to the step ---

enum class StreamKind : std::uint8_t { Stdin = 0, Stdout = 1, Stderr = 2 };

struct LaunchTasks {
  std::string credential, signature;
  std::vector<std::string> arguments;  // program and its arguments
  std::string environment;             // NAME=value, each ended by NUL
  std::string work_dir;
  std::string std_in, std_out, std_err;   // patterns; empty: the stream to srun
  std::uint32_t stdin_task = 0xffffffff;  // 0xffffffff: every task
  bool append_output = false;
  bool unbuffered = false;
  bool kill_on_bad_exit = false;
  bool pty = false;
  std::uint16_t rows = 0, columns = 0;
  std::uint32_t umask = 022;
  std::string srun_id;     // to take the stream up again after a lost connection
  std::string multi_prog;  // the configuration file's text
  std::vector<ResourceLimit> limits;
  BindingWish binding;
  std::string task_prolog, task_epilog;  // the user's own, beside slurm.conf's
  std::string mpi;                       // none, pmi1, pmix; empty: slurm.conf's MpiDefault
  std::string acct_frequency;
  bool external_launcher = false;
  std::string tres_bind;           // "gpu:closest" and others, for each kind of resource
  std::uint8_t oom_kill_step = 0;  // as of JobExtras; 0: the job's wish counts
  std::string cpu_freq;            // --cpu-freq, as notation/cpu_freq.h prints it; empty: no wish
  bool wait_for_children = false;  // it is over when no process is left, not with its tasks
  std::string gpu_freq;            // --gpu-freq, as notation/gpu_freq.h reads it; empty: no wish
};

// A lost connection is taken up again: everything after these counts is sent once more.
struct ResumeStream {
  JobId job;
  StepId step;
  std::string srun_id;
  std::uint64_t received = 0;  // messages of the stream that srun has
  bool await_launch = false;   // the launch comes another way, and perhaps later
};

struct TaskStarted {
  std::uint32_t task = 0;
  std::uint32_t pid = 0;
};
struct TasksStarted {
  std::vector<TaskStarted> tasks;
  std::string node;
};
// An empty `data` with `end` closes the stream.
struct TaskOutput {
  std::uint32_t task = 0;
  StreamKind stream = StreamKind::Stdout;
  std::string data;
  bool end = false;
};
struct TaskInput {
  std::uint32_t task = 0xffffffff;
  std::string data;
  bool end = false;
};
struct TaskEnded {
  std::uint32_t task = 0;
  ExitStatus exit;
};
struct SignalTasks {
  std::uint16_t signal = 0;
};
struct WindowChanged {
  std::uint16_t rows = 0, columns = 0;
};
// One node's part of a collective operation of an MPI library, on its way up; everybody's parts
// together, on its way down. `key` names the operation, `nodes` who takes part (numbers within the
// step; empty: all).
struct StepFence {
  std::string key;
  std::uint32_t node = 0;
  std::vector<std::uint32_t> nodes;
  std::string data;
};
// A task wants all of the step to end.
struct StepAbort {
  std::uint32_t task = 0;
  std::int32_t status = 0;
  std::string text;
};

// --- others who want to know or to join in ---

// sattach: the first message of a connection that gets what the step's tasks say from now on.
struct AttachStep {
  JobId job;
  StepId step;
  std::uint32_t task = 0xffffffff;  // 0xffffffff: every task
  bool input = false;               // what comes on the connection goes to the tasks' stdin
};
struct StepAttached {
  std::vector<TaskStarted> tasks;
  std::string node;
  bool pty = false;
};

// Of one node that a message went to, perhaps through others.
struct NodeOutcome {
  std::string node;
  std::string error;  // empty: done
};
struct NodeOutcomes {
  std::vector<NodeOutcome> outcomes;
};

// `scontrol update step`: its time limit, or that of all steps of the job. Answered by Done.
struct UpdateStep {
  JobId job;
  std::optional<StepId> step;
  std::optional<std::uint32_t> time_limit_s;        // 0xffffffff: the job's own is the only one
  std::optional<std::int64_t> time_limit_change_s;  // relative to what it is
};

// What the controller knows of running steps. Unset: all.
struct QuerySteps {
  std::optional<JobId> job;
  std::optional<StepId> step;
  bool hide = false;  // no steps of jobs that QueryJobs would hide
};
struct StepRow {
  JobId job;
  JobId array_job;
  std::uint32_t array_task = kNoTask;
  Uid uid;
  std::string user_name, partition;
  Step step;
  std::string nodes;  // hostlist
  std::vector<NodeAddress> addresses;
  Instant end;    // not set: it is alive
  JobId het_job;  // none: the job is not heterogeneous
  std::uint32_t het_offset = 0;
};
struct StepRows {
  std::vector<StepRow> rows;
};

// What is alive on a node: for `scontrol listpids` and `sstat`, asked of slurmd.
struct QueryStepsHere {
  std::optional<JobId> job;
  std::optional<StepId> step;
};
struct TaskHere {
  std::uint32_t local = 0;
  TaskUsage usage;  // as of now, or of the task's end
  bool ended = false;
};
struct StepHere {
  JobId job;
  Sluid sluid;
  StepId step;
  Uid uid;
  std::string node;
  Instant start;
  std::vector<TaskHere> tasks;
  std::vector<std::uint32_t> pids;  // every process, the tasks' own among them
};
struct StepsHere {
  std::vector<StepHere> rows;
};

// A signal for a step's tasks, from their user or root; answered by Done.
struct SignalStep {
  JobId job;
  StepId step;
  std::uint16_t signal = 0;
};

// The last message of the stream.
struct StepOver {
  std::string error;
};

}  // namespace ym
