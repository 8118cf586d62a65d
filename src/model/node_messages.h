// SPDX-License-Identifier: Apache-2.0
// Between the controller and slurmd. Level-triggered: a node tells everything it has, the
// controller asks for the difference. A lost message is a delay, a repeated one changes nothing
// (attempts are named by their Sluid).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/node.h"
#include "model/partition.h"

namespace ym {

// DO NOT CHANGE THESE VALUES: they are on the wire and in nodes' spools.
enum class AttemptPhase : std::uint8_t {
  Running = 0,  // something of it is or may be alive here
  Clean = 1,    // nothing of it is left; `exit` and `error` tell how the batch script ended, if it
                // ran here
};

// What a node knows of one attempt at a job.
struct AttemptReport {
  JobId job;
  Sluid sluid;
  AttemptPhase phase = AttemptPhase::Running;
  bool batch = false;  // the batch script was this node's to run
  bool batch_ended = false;
  ExitStatus exit;
  std::string error;  // why it could not be started; empty otherwise
  bool out_of_memory = false;
  bool prepared = false;       // the prolog has run
  bool prolog_failed = false;  // `error` says how; nothing of the job ran here
  StepUsage usage;             // of the batch script
  bool suspended = false;      // it is frozen here, by a SuspendJob
  std::string cpu_ids;         // what it was given, by Slurm's own numbers: "0-3,8"
  bool launch_failed = false;  // `error` says how: this node could not launch it, nothing of it ran
};

struct StepReport {
  JobId job;
  Sluid sluid;
  StepId step;
  ExitStatus exit;
  StepUsage usage;
  bool out_of_memory = false;
};

// What a LimitMemory came to here.
struct MemoryReport {
  JobId job;
  Sluid sluid;
  std::uint64_t asked_mb = 0;  // as the order said
  std::uint64_t limit_mb = 0;  // what it may use from now on: more than asked if more is in use
  std::uint64_t used_mb = 0;   // resident
};

// slurmd → controller. The first one on a connection has `complete`, which says that `attempts` is
// all there is.
struct NodeReport {
  std::string node;
  bool complete = false;
  NodeRegistration registration;  // with `complete`
  std::vector<AttemptReport> attempts;
  std::vector<StepReport> ended_steps;
  std::uint32_t cpu_load = 0;  // hundredths
  std::uint64_t free_memory_mb = 0;
  std::string drain_reason;  // something is wrong here: give this node no more work
  std::vector<MemoryReport> memory;
};

// A component of a heterogeneous job, as far as its batch script is told of it.
struct HetComponent {
  JobId job;
  Ref<JobSpec> spec;
  std::string nodes, partition;
  std::vector<std::uint32_t> cpus, tasks;  // for each of its nodes
};

// controller → slurmd
struct LaunchJob {
  JobId job;
  Sluid sluid;
  Ref<JobSpec> spec;
  std::string script, environment;  // bytes
  JobId array_job;
  std::uint32_t array_task = kNoTask, array_count = 0, array_min = 0, array_max = 0, array_step = 1;
  std::uint32_t restarts = 0;
  std::string cluster, partition;
  std::string nodes;                 // hostlist of the allocation
  std::vector<std::uint32_t> cpus;   // for each of them
  std::vector<std::uint32_t> tasks;  // for each of them
  std::uint64_t memory_mb = 0;       // on the batch host
  Instant start, limit_end;
  bool prepare_only = false;  // PrologFlags=Alloc: run the prolog; the script is not for this node
  std::vector<std::uint64_t> memory_by_node_mb;
  Ref<GresShares> gres;                  // of the allocation, all nodes
  JobId het_job;                         // none: it is not heterogeneous
  std::vector<HetComponent> components;  // with the script: all of them, this one, too
  Sharing sharing = Sharing::No;         // of the partition
  std::vector<std::uint32_t> rows;       // for each node (NodeShare::row); empty: it shares no CPUs
};
// Why something is ended from outside: said on its stderr. DO NOT CHANGE THESE VALUES.
enum class KillCause : std::uint8_t {
  None = 0,  // it ended by itself; what is left is cleaned up without a word
  Cancelled = 1,
  TimeLimit = 2,
  NodeFailure = 3,
  Preempted = 4,
};
// End everything of the attempt: SIGTERM, after `grace` SIGKILL; then report it Clean. Unknown
// attempts are Clean.
struct KillJob {
  JobId job;
  Sluid sluid;
  Duration grace{0};
  KillCause cause = KillCause::None;
  // What an epilog is told; empty where none is configured.
  Ref<JobSpec> spec;
  std::string nodes, partition, cluster;
  ExitStatus exit;
  Instant start, end;
  JobId array_job;
  std::uint32_t array_task = kNoTask, restarts = 0;
  Ref<GresShares> gres;  // on this node
  Sharing sharing = Sharing::No;
};
struct SignalJob {
  JobId job;
  Sluid sluid;
  std::uint16_t signal = 0;
  bool batch_only = false, whole_job = false;
  std::optional<StepId> step;
  KillCause cause = KillCause::None;  // with SIGKILL
};
struct SuspendJob {
  JobId job;
  Sluid sluid;
  bool suspend = true;  // false: go on
};
// The job may use no more memory here than this; answered by a MemoryReport, and repeated until it
// is. Limits are never raised, nor lowered below what is in use.
struct LimitMemory {
  JobId job;
  Sluid sluid;
  std::uint64_t memory_mb = 0;  // 0: only tell what is in use
};
// Words of an administrator or of the user for the job's standard error: the batch script's, or
// that of the srun whose steps run here.
struct NotifyJob {
  JobId job;
  Sluid sluid;
  std::string text;
};
// Run RebootProgram. Repeated until the machine has booted.
struct RebootNode {
  Instant asked;
};
// The controller has written down how these ended: the node may forget them.
struct ForgetAttempts {
  std::vector<Sluid> attempts;
  std::vector<StepReport> steps;
};

// --- administration ---

struct QueryNodes {
  std::string nodes;
};
struct NodeRow {
  Node node;
  std::vector<std::string> partitions;
  std::uint32_t cpu_load = 0;
  std::uint64_t free_memory_mb = 0;
  std::string reservation;  // that has it now
};
struct NodeRows {
  std::vector<NodeRow> rows;
};
struct QueryPartitions {
  std::string name;
  bool hide = false;  // none that is not shown to the caller (is_shown_to)
};
struct PartitionRow {
  Partition partition;
  std::uint32_t cpus = 0, node_count = 0;
  std::uint64_t memory_mb = 0;
};
struct PartitionRows {
  std::vector<PartitionRow> rows;
};

struct UpdateNodes {
  std::string nodes;  // hostlist
  std::string state;  // DOWN, DRAIN, FAIL, RESUME, UNDRAIN, IDLE; empty: unchanged
  std::optional<std::string> reason, features;
  std::optional<std::uint32_t> weight;
  std::optional<std::string> comment, extra, gres, address, hostname;
  std::optional<std::string> active_features, instance_id, instance_type, cpu_bind;
  std::optional<std::uint32_t> resume_after_s;  // 0xffffffff: never mind
};
// `scontrol create node`: nodes beside those of slurm.conf.
struct CreateNodes {
  std::vector<NodeSpec> nodes;
};
// `scontrol delete node`, of those that were created so.
struct DeleteNodes {
  std::string nodes;  // hostlist
};
struct RebootNodes {
  std::string nodes;  // hostlist, or ALL
  bool asap = false;
  RebootNext next = RebootNext::None;
  std::string reason;
  bool cancel = false;  // what was asked for before
  bool force = false;   // at once, whatever runs there and was ordered before
};
struct UpdatePartition {
  PartitionSpec spec;
  std::vector<std::string> changed;  // names of the members of spec that count
  bool create = false, remove = false;
};

}  // namespace ym
