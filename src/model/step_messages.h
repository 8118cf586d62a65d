// SPDX-License-Identifier: Apache-2.0
// Steps: between srun and the controller (who may run where), and between srun and the nodes
// (launch and streams).
#pragma once
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
  std::uint32_t nodes = 0;  // 0: as few as the tasks need, at most all of the job's
  std::uint32_t tasks_per_node = 0;
  std::uint64_t memory_per_node_mb = 0;
  std::string node_list, excluded_nodes;
  bool overlap = false;
  bool overcommit = false;
  bool whole = false;  // all cpus of the nodes, not only those of the tasks
};

struct NodeAddress {
  NodeId node;
  std::string name, address;
  std::uint16_t port = 0;
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
};

struct StepCreated {
  JobId job;
  Step step;
  std::vector<NodeAddress> nodes;
  std::string credential, signature;  // an encoded StepCredential
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
};

// A lost connection is taken up again: everything after these counts is sent once more.
struct ResumeStream {
  JobId job;
  StepId step;
  std::string srun_id;
  std::uint64_t received = 0;  // messages of the stream that srun has
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
// The last message of the stream.
struct StepOver {
  std::string error;
};

}  // namespace ym
