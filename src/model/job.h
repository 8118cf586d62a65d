// SPDX-License-Identifier: Apache-2.0
// A job: what was asked for (JobSpec, immutable, shared) and what has become of it (Job, small and
// mutable).
//
// Invariants of Job:
//  (1) end is set if and only if the state is terminal.
//  (2) allocation is non-empty only while Running or Suspended, or while nodes_left is non-empty (completing).
//  (3) array is set only on the record that stands for the elements of an array that have no record of their own;
//      that record is Pending, or they ended together; its set of elements is never empty.
//  (4) sluid changes at each requeue, id never.
//  (5) components of a heterogeneous job have ids that follow each other, from het_job on.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/ref.h"
#include "base/time.h"
#include "model/gres.h"
#include "model/ids.h"
#include "model/launch.h"
#include "model/preempt.h"
#include "model/reason.h"
#include "model/step.h"
#include "notation/array.h"
#include "notation/dependency.h"

namespace ym {

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire, and are Slurm's own numbers.
enum class JobState : std::uint8_t {
  Pending = 0,
  Running = 1,
  Suspended = 2,
  Completed = 3,
  Cancelled = 4,
  Failed = 5,
  Timeout = 6,
  NodeFail = 7,
  Preempted = 8,
  BootFail = 9,
  Deadline = 10,
  OutOfMemory = 11,
};
inline bool is_terminal(JobState state) { return state >= JobState::Completed; }
// "PENDING", and the short form "PD".
std::string_view name_of(JobState state);
std::string_view short_name_of(JobState state);

// -S was not given. Slurm's number.
inline constexpr std::uint32_t kNoCoreSpec = 0xfffe;

// What is kept of the line that submitted a job: every pending job has one in memory.
inline constexpr std::size_t kSubmitLineMax = 4096;

// JobSpecials::exclusive_kind. Slurm's words: --exclusive=user and so on.
inline constexpr std::uint8_t kExclusiveNode = 0, kExclusiveUser = 1, kExclusiveMcs = 2,
                              kExclusiveTopo = 3;

// What hardly any job sets. Carried for those who ask, whether or not the scheduler acts on it.
struct JobSpecials {
  // Generic resources as users write them: "gpu:2,shard:a:1".
  std::string tres_per_job, tres_per_node, tres_per_socket, tres_per_task;
  std::string cpus_per_tres, memory_per_tres, tres_bind, tres_freq, gres_flags;
  std::uint32_t tasks_per_tres = 0;
  std::string prefer, batch_features, cluster_features, mcs_label, cpu_freq, profile;
  std::string submit_line;  // never set: see JobSpec::submit_line; its number in the log is taken
  std::string container_id, cron;
  std::uint32_t switches = 0, switch_wait_s = 0;  // --switches; 0: no wish
  std::uint32_t segment = 0;
  std::uint32_t delay_boot_s = 0;
  std::uint32_t reserved_ports = 0;
  std::uint32_t alloc_sid = 0;      // session of the submitting command
  std::uint8_t exclusive_kind = 0;  // 0 nodes, 1 user, 2 mcs, 3 topo
  std::uint8_t wait_all_nodes = 0;  // 0 no wish, 1 no, 2 yes
  bool all_memory = false;          // --mem=0
  bool spread = false, use_min_nodes = false, reboot = false, step_manager = false;
  bool consolidate_segments = false;
  bool detached = false;          // salloc --no-shell: once it runs, it lives without its client
  Ref<GresRequest> gres;          // the former, understood; set by admission alone
  std::uint32_t immediate_s = 0;  // --immediate: given up if it waits for longer; 0: it may
  bool spread_segments = false;   // --spread-segments: no two of them in one base block
  bool expedite = false;          // --requeue=expedite
  // The job's own number, while the nodes that it had are kept for it (Node::kept_for); set by the
  // controller alone.
  std::uint32_t keeps = 0;
  // --mem-update: once it has run for so long, its memory is lowered to so many per cent above what
  // is in use; 0 s: it keeps all.
  std::uint32_t memory_margin = 0, memory_delay_s = 0;
  // --nodes as a list, "2,4" or "1-15:4": it has so many nodes and no other number of them, and
  // min_nodes and max_nodes are the ends of it; empty: any in between.
  std::string node_counts;
  bool operator==(const JobSpecials&) const = default;
};

// What is set by few jobs only. One shared empty value serves all the others.
struct JobExtras {
  std::string comment, admin_comment, extra, wckey, reservation, licenses, gres, features;
  std::string required_nodes, excluded_nodes;  // hostlists
  std::string mail_user, std_in, std_err, network, burst_buffer, container;
  std::vector<std::string> arguments;  // of the batch script
  std::uint32_t mail_types = 0;
  std::uint16_t signal = 0;           // --signal: number, 0 none
  std::uint32_t signal_before_s = 0;  //           seconds before the limit
  bool signal_batch_only = false;     //           B:
  std::uint64_t tmp_mb = 0;
  std::vector<ResourceLimit> limits;  // of the submitter, as --propagate chose
  BindingWish binding;
  std::string get_user_env;        // --get-user-env: "1" or [timeout][mode]; empty: no
  std::string acct_frequency;      // --acctg-freq
  std::uint8_t oom_kill_step = 0;  // --oom-kill-step: 0 no wish, 1 no, 2 yes
  // -B: nodes must have at least so many; 0: no wish. Threads are the binding's.
  std::uint32_t sockets_per_node = 0, cores_per_socket = 0;
  std::uint32_t core_spec = kNoCoreSpec;  // -S: cores of each node kept for the system
  bool thread_spec = false;               // --thread-spec: they are threads
  Ref<JobSpecials> specials;
  std::int32_t site_factor = 0;  // what the site adds to its priority
  std::string system_comment;    // as the like of administrators, for their programs
  bool operator==(const JobExtras&) const = default;
};

struct JobSpec {
  std::string name, user_name, account, qos, work_dir, command, std_out, submit_host;
  std::string partitions;  // comma separated, in the user's order; never empty once admitted
  Uid uid;
  Gid gid;
  std::string script_blob, environment_blob;  // content ids; empty for interactive jobs
  std::uint32_t tasks = 1;
  std::uint32_t cpus_per_task = 1;
  std::uint32_t tasks_per_node = 0;            // 0: no wish
  std::uint32_t min_nodes = 1, max_nodes = 0;  // max 0: no limit
  std::uint32_t min_cpus_per_node = 0;
  std::uint64_t memory_per_node_mb = 0, memory_per_cpu_mb = 0;
  std::uint32_t time_limit_s = 0;  // 0: the partition's default; kUnlimited
  std::uint32_t time_min_s = 0;
  Instant begin, deadline;
  std::int32_t nice = 0;
  bool batch = false;
  bool exclusive = false;
  bool oversubscribe = false;
  bool contiguous = false;
  bool requeue = true;
  bool kill_on_invalid_dependency = false;
  bool no_kill = false;        // survives the loss of a node
  bool append_output = false;  // --open-mode=append
  bool overcommit = false;
  Ref<JobExtras> extras;
  std::string submit_line;  // the command that asked for it, as it was typed: at most
                            // kSubmitLineMax bytes

  static constexpr std::uint32_t kUnlimited = 0xffffffff;
  bool operator==(const JobSpec&) const = default;
};

// Tasks on so many nodes: of a job that takes a range of nodes, and did not say how many tasks it
// has, as many more as it gets more nodes.
std::uint32_t tasks_on(const JobSpec& spec, std::size_t nodes);
// Does it?
bool tasks_follow_nodes(const JobSpec& spec);

// A node's part of an allocation.
struct NodeShare {
  NodeId node;
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;
  // Its CPUs are others', too: those in the other rows of the node (Node::rows). 0: its own.
  std::uint32_t row = 0;
  bool operator==(const NodeShare&) const = default;
};

// What a job holds. A value with a history: each change (grow, shrink, a node replaced) is an event
// with a new one.
struct Allocation {
  std::uint32_t generation = 0;
  std::vector<NodeShare> nodes;  // ascending by node
  std::string licenses;          // "a:2,b:1"
  std::string reservation;       // in which it was given
  Ref<GresShares> gres;
  bool topo_alone = false;  // nobody else gets anything of the blocks that its nodes are in
  NodeId batch_node;        // runs the script (--batch); none: the first
  // REQUIRES: it has nodes.
  const NodeShare& batch_share() const;
  std::uint32_t cpus() const;
  // The rows of its nodes; empty if it shares no CPUs.
  std::vector<std::uint32_t> rows() const;
  bool operator==(const Allocation&) const = default;
};

// What became of a running job's memory, on each of its nodes.
struct JobMemory {
  std::uint64_t wanted_mb = 0;   // no more than this, once every node has said so; 0: as it is
  std::uint64_t lowered_mb = 0;  // the most that it has on a node since; 0: what it was given
  bool looked = false;           // --mem-update has asked what is in use, and does not ask again
  bool operator==(const JobMemory&) const = default;
};

// The elements of an array that have no record of their own: they wait, or ended, together.
struct ArrayTasks {
  IndexSet waiting;
  std::uint32_t max_running = 0;  // 0: no limit
  bool operator==(const ArrayTasks&) const = default;
};

// Who keeps a job from starting: independent of each other.
struct Holds {
  bool user = false, admin = false;
  bool operator==(const Holds&) const = default;
};

inline constexpr std::uint32_t kNoTask = 0xfffffffe;

struct Job {
  JobId id;
  JobId array_job;  // the id users know the array by; none outside of arrays
  std::uint32_t array_task = kNoTask;
  Sluid sluid;
  Ref<JobSpec> spec;
  JobState state = JobState::Pending;
  Reason end_reason = Reason::None;  // how a finished job ended, or why a requeued one came back
  Holds holds;
  bool requeue_wanted = false;     // when the nodes are clean again, the job goes back to the queue
  bool launched = false;           // the batch host has confirmed that it has this attempt
  bool dependency_failed = false;  // can never be satisfied
  std::uint32_t priority = 0;
  std::uint32_t restarts = 0;
  Instant submit, eligible, start, end;
  Instant suspended_at;       // while Suspended
  Duration suspended_for{0};  // before that
  Instant limit_end;          // start + time limit; kNever if unlimited
  PartitionId partition;      // where it runs or ran; none while pending in several
  Ref<Allocation> allocation;
  std::vector<NodeId> nodes_left;  // completing: nodes that have not confirmed that they are clean
  ExitStatus exit;
  ExitStatus derived_exit;     // the highest of its steps
  Ref<Dependency> dependency;  // the terms that are still open
  Ref<ArrayTasks> array;
  std::uint32_t array_max_running = 0;  // of the array that it belongs to; 0: no limit
  std::uint32_t next_step = 0;
  Ref<std::vector<Step>> steps;  // alive ones
  Uid killed_by;                 // meaningful for Cancelled
  bool configuring = false;      // running, but not all prologs have: no step may start
  JobId het_job;                 // the first component of its heterogeneous job; none otherwise
  std::uint32_t het_offset = 0;  // its place among them
  std::uint32_t het_count = 0;   // how many there are
  bool priority_fixed = false;   // set by an administrator: factors do not change it
  bool epilog_due = false;       // ended, but EpilogSlurmctld has not: it runs when all is clean
  Ref<std::vector<EndedStep>> ended_steps;  // the last of them, the oldest first
  std::uint8_t failed_launches = 0;         // one after the other, until somebody released it
  bool special_exit = false;      // requeued and held as SPECIAL_EXIT, until it is released
  Ref<JobPreemption> preemption;  // that it made room for another, last; forgotten when it starts
  Ref<Allocation> leaving;        // what it has given up and is not clean yet, while it runs
  Instant resumed;                // when it last went on after a suspension; none: never
  std::uint64_t submission = 0;   // the client's number for the request that made it; 0: none
  Ref<JobMemory> memory;          // of this attempt
  Instant resized;                // when it last gave up nodes; none: never in this attempt

  bool completing() const { return !nodes_left.empty(); }
  bool holds_resources() const {
    return state == JobState::Running || state == JobState::Suspended || completing();
  }
  // It makes room: it is warned of its end, or suspended until the other is done.
  bool is_preempted() const {
    return (state == JobState::Running || state == JobState::Suspended) &&
           preemption->mode != PreemptMode::Off;
  }
  // Suspended for another: its place is kept, but nobody has to go round it meanwhile.
  bool is_parked() const {
    return state == JobState::Suspended && preemption->mode == PreemptMode::Suspend;
  }
  bool held() const { return holds.user || holds.admin; }
  // Of a heterogeneous job the first component has the script, or the client; the others live with
  // it.
  bool is_later_component() const { return het_offset > 0; }
  bool runs_script() const { return spec->batch && !is_later_component(); }
  bool lives_for_client() const { return !spec->batch && !is_later_component(); }
  bool operator==(const Job&) const = default;
};

inline constexpr std::size_t kHetComponentsMax = 128;  // of one heterogeneous job

// "7", "7_3", "7_[1-5%2]" or "7+1" as squeue shows it.
std::string display_id(const Job& job);

}  // namespace ym
