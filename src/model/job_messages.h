// SPDX-License-Identifier: Apache-2.0
// What commands ask the controller about jobs, and what it answers. wire/schema/messages.h numbers
// the fields.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/partition.h"
#include "model/priority.h"

namespace ym {

inline constexpr std::uint32_t kNoPriority = 0xfffffffe;

struct SubmitJob {
  JobSpec spec;             // identity is overwritten by the caller's
  std::string script;       // empty for salloc and srun
  std::string environment;  // NAME=value, each ended by NUL
  std::string array, dependency;
  std::uint32_t priority = kNoPriority;
  bool hold = false;
  bool test_only = false;
  std::vector<JobSpec> het;  // the other components of a heterogeneous job
  // Chosen by the client, by chance: the same request again is answered with the same job. 0: none.
  std::uint64_t submission = 0;
};

struct SubmitAnswer {
  JobId job;
  Sluid sluid;
  std::string warning;
  // Of a test: when, where and with how much it would start. No start: it cannot be told.
  Instant expected_start;
  std::string nodes, partition;
  std::uint32_t cpus = 0;
  std::uint32_t components = 1;  // of a heterogeneous job; their ids follow each other
};

// One job, array element, set of elements, component or step, as users name it: 7, 7_3, 7_[1-4],
// 7+1, 7.0, s8FXJCCS3F9Z00. The first component's number alone means all of them.
struct JobTarget {
  JobId job;
  std::optional<IndexSet> tasks;
  std::optional<StepId> step;
  Sluid sluid;
  std::optional<std::uint32_t> component;  // 7+1: of the heterogeneous job 7
};

// Which jobs; an empty list does not restrict. All given conditions must hold.
struct JobFilter {
  std::vector<JobTarget> targets;
  std::vector<std::string> users, partitions, accounts, qos, names;
  std::vector<JobState> states;  // empty: pending, running, suspended, completing
  bool all_states = false;
  std::string nodes;  // hostlist
};

enum class JobVerb : std::uint8_t {
  Update = 0,
  Hold = 1,
  HoldUser = 2,
  Release = 3,
  Requeue = 4,
  RequeueHold = 5,
  Suspend = 6,
  Resume = 7,
  Cancel = 8,
  Signal = 9,
  Complete = 10,
  Top = 11,
  Notify = 12,
};

// What `scontrol update job` may change; absent fields stay as they are.
struct JobPatch {
  std::optional<std::string> name, partitions, account, qos, comment, dependency, features,
      work_dir, std_out;
  std::optional<std::uint32_t> time_limit_s, priority, min_nodes, max_nodes, tasks, cpus_per_task,
      array_max_running;
  std::optional<std::int32_t> nice;
  std::optional<Instant> begin, deadline;
  std::optional<bool> requeue;
  std::optional<std::string> required_nodes, excluded_nodes, admin_comment, extra;
  std::optional<std::string> reservation, licenses, wckey, mail_user, std_err, std_in, gres, prefer,
      burst_buffer, mcs_label, tres_per_node, cluster_features, user_name;
  std::optional<std::uint32_t> time_min_s, tasks_per_node, min_cpus_per_node, switches,
      switch_wait_s, mail_types, delay_boot_s, core_spec;
  std::optional<std::uint64_t> memory_per_node_mb, memory_per_cpu_mb, tmp_mb;
  std::optional<bool> contiguous, exclusive, oversubscribe, reset_accrue;
  std::optional<std::int64_t> time_limit_change_s;  // +5, -10: relative to what it is
  std::optional<std::string> network, container_id;
  std::optional<std::uint32_t> min_cpus, sockets_per_node, cores_per_socket, threads_per_core,
      thread_spec;
  std::optional<Instant> end;  // of a running job: its limit moves there
  std::optional<bool> reboot;
  std::optional<std::int32_t> site_factor;
  std::optional<std::string> system_comment;
};

// One verb for all the jobs that the filter selects. The caller must own each, or be an
// administrator.
struct AlterJobs {
  JobVerb verb = JobVerb::Update;
  JobFilter filter;
  JobPatch patch;
  std::uint16_t signal = 0;      // Signal: which one
  bool batch_only = false;       // Signal: the batch shell only (scancel -b)
  bool whole_job = false;        // Signal: the batch shell and all steps (scancel -f)
  std::string text;              // Notify: what the user is told
  ExitStatus exit;               // Complete: what salloc's or srun's own allocation ended with
  bool special_exit = false;     // RequeueHold: as SPECIAL_EXIT
  bool incomplete_only = false;  // Requeue, RequeueHold: leave alone what has completed
  bool cron = false;             // Cancel: jobs of crontabs, too
};

struct JobOutcome {
  JobId job;
  std::string display;  // as the user knows it
  std::uint32_t code = 0;
  std::string text;
};
struct AlterAnswer {
  std::vector<JobOutcome> outcomes;
};

// What of a job a question is about: bits, so that the controller sends no more than is shown.
// Ids, the array, the heterogeneous job and the state always come.
enum class JobField : std::uint64_t {
  Name = 1 << 0,
  User = 1 << 1,        // name and number
  Group = 1 << 2,       // its number
  Account = 1 << 3,     // and the QOS
  Partition = 1 << 4,   // JobRow::partition
  Reason = 1 << 5,      // and its text
  Priority = 1 << 6,    // and the holds
  Times = 1 << 7,       // of submission, when it may begin and must be over; the limits
  Expected = 1 << 8,    // when it may start
  Nodes = 1 << 9,       // the hostlists and the batch host
  NodeCount = 1 << 10,  // JobRow::node_count
  CpuCount = 1 << 11,   // JobRow::cpu_count
  Size = 1 << 12,       // tasks, memory and the like, as asked for
  Exit = 1 << 13,       // exit codes, how often it began again
  Dependency = 1 << 14,
  Run = 1 << 15,  // start, end, and what it has been suspended for
  Everything = 1ull << 63,
};
constexpr std::uint64_t bit(JobField field) { return static_cast<std::uint64_t>(field); }

// Ids: ascending. Usual: as squeue sorts unless told: by partition, state, the highest priority
// first, id.
enum class JobOrder : std::uint8_t { Ids = 0, Usual = 1 };

struct QueryJobs {
  JobFilter filter;
  std::uint64_t fields = 0;  // of JobField; 0: whole rows, each with its spec
  JobOrder order = JobOrder::Ids;
  bool with_priority = false;  // whole rows: what the priorities of pending jobs are made of
  bool hide = false;           // no jobs of partitions that are not shown to the caller
};

// A job and what only the controller can say of it.
struct JobRow {
  Job job;
  Reason reason = Reason::None;  // the one that squeue shows
  std::string reason_text;       // a detail behind it, may be empty
  std::string nodes;             // hostlist of the allocation
  std::string scheduled_nodes;
  std::string batch_host;
  std::string partition;  // where it runs; the asked-for list while pending
  Instant expected_start;
  // What its nodes gave it, in the allocation's order; empty where none has said so.
  std::vector<std::string> cpu_ids;
  // Of an answer that has only the fields that were asked for: which of the answer's specs is this
  // job's, counted from 1; and counts that need no allocation. 0: see the job.
  std::uint32_t spec_place = 0;
  std::uint32_t node_count = 0, cpu_count = 0;
  // When a planner looked at it last, and which: "Main" or "Backfill".
  Instant last_eval;
  std::string scheduler;
  // Where it was asked for: one for each partition that the job may go to.
  std::vector<PriorityParts> priority_parts;
  Sharing sharing = Sharing::No;  // of that partition, or of the first asked for
  Instant preemptable_from;  // of one that runs: when it may be asked to make room; unset: never
  // TRESBillingWeights of that partition; and with PriorityFlags=MAX_TRES only the largest counts.
  std::string billing_weights;
  bool largest_bills = false;
};
// Specs are counted over all frames of an answer: a job names one of them by its place. The last
// kSpecPlaces are kept, so that neither side's memory grows with the queue; a frame adds its specs
// before its rows are read.
inline constexpr std::uint32_t kSpecPlaces = 4096;
struct JobRows {
  std::vector<JobRow> rows;
  std::vector<JobSpec> specs;
};

// Answers when the job is no longer pending (or has ended, with until_end). `mine` marks the caller
// as the one for whom an interactive allocation lives.
struct WatchJob {
  JobId job;
  bool until_end = false;
  bool mine = false;
};

// Why does the job not run, when will it, and what could be asked for instead? `yardmaster
// explain`.
struct QueryExplanation {
  JobTarget target;
  // As if the job had been changed so: `yardmaster what-if`.
  bool what_if = false;
  JobPatch change;
};
// One condition that holds the job back, and what would have to change.
struct Obstacle {
  Reason reason = Reason::None;
  std::string text, remedy;
};
// A smaller request and when it would start.
struct Alternative {
  std::string change;  // as a user would ask for it: "--time=10"
  Instant start;
  std::string partition, nodes;
};
struct Explanation {
  JobId job;
  std::string display;  // as users know it
  std::string state;    // "PENDING"
  std::vector<Obstacle> obstacles;
  Instant expected_start;  // unset: it cannot be told
  std::string partition, nodes;
  std::vector<Alternative> alternatives;  // the soonest first
};

struct GetScript {
  JobId job;
};
struct Script {
  std::string bytes;
};

}  // namespace ym
