// SPDX-License-Identifier: Apache-2.0
// Events: the facts that make up the log. State changes in no other way (apply.h).
//
// An event says what was decided, with everything needed to fold it in; it never says "run the
// scheduler". So the log replays to the same state under any later scheduling code. Past
// participles name them; wire/events.cc gives each its number, which is never reused. Adding a
// field is fine, changing a meaning is a new event.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/crontab.h"
#include "model/job.h"
#include "model/license.h"
#include "model/node.h"
#include "model/partition.h"
#include "model/reservation.h"
#include "model/trigger.h"

namespace ym {

// What an event of a later release decodes to; a log that holds one cannot be read by this release.
struct UnknownEvent {};

// --- the cluster ---
// The first event of a log.
struct ClusterFounded {
  std::string name;
  std::uint32_t first_job_id = 1;
};
// Nodes added or changed by a new configuration, in one event: names are indexed only once.
struct NodeDefinition {
  NodeId node;
  Ref<NodeSpec> spec;
};
struct NodesDefined {
  std::vector<NodeDefinition> nodes;
};
struct NodeRemoved {
  NodeId node;
};
struct PartitionDefined {
  PartitionId partition;
  Ref<PartitionSpec> spec;
  Ref<std::vector<NodeId>> nodes;
};
struct PartitionRemoved {
  PartitionId partition;
};

// --- nodes ---
struct NodeRegistered {
  NodeId node;
  Ref<NodeRegistration> registration;
};
struct NodeResponded {
  NodeId node;
};
struct NodeStoppedResponding {
  NodeId node;
};
// The condition, flags and reason as they are from now on: down, drained, resumed …
struct NodeStateChanged {
  NodeId node;
  NodeCondition condition = NodeCondition::Unknown;
  bool drain = false, fail = false, down_by_admin = false;
  std::string reason;
  Uid by;
};

// A reboot was asked for, ordered, given up or has happened.
struct NodeRebootChanged {
  NodeId node;
  NodeReboot reboot;
};

// It is switched off or on, or is to be.
struct NodePowerChanged {
  NodeId node;
  NodePower power;
};

// What people wrote on it; survives a new configuration.
struct NodeNoted {
  NodeId node;
  std::string comment, extra;
  std::string instance_id, instance_type, cpu_bind, active_features;
  bool features_chosen = false;
  Instant resume_after;
};

// --- reservations and licences ---
// New, changed, or moved on to its next time: the whole of it.
struct ReservationDefined {
  Reservation reservation;
};
struct ReservationRemoved {
  ReservationId reservation;
};
// All licences that there are from now on; `used` does not count.
struct LicensesDefined {
  std::vector<License> licenses;
};

// --- jobs ---
struct JobSubmitted {
  JobId job;
  Sluid sluid;
  Ref<JobSpec> spec;
  Ref<ArrayTasks> array;
  Ref<Dependency> dependency;
  Holds holds;
  std::uint32_t priority = 0;
  // A component of a heterogeneous job: its first one (itself, if it is that), its place, how many.
  JobId het_job;
  std::uint32_t het_offset = 0, het_count = 0;
  std::uint64_t submission = 0;  // the client's number for its request; 0: it had none
};
// An element leaves the array's common record and becomes a job with a record of its own. `job`
// equals `array_job` when it is the last one: then the common record itself becomes the element.
struct ArrayTaskSplit {
  JobId array_job;
  std::uint32_t task = 0;
  JobId job;
  Sluid sluid;
};
// What an update can touch about a job, and is not a step of its life: the whole new values.
struct JobUpdated {
  JobId job;
  Ref<JobSpec> spec;
  Holds holds;
  std::uint32_t priority = 0;
  Ref<Dependency> dependency;
  bool dependency_failed = false;
  std::uint32_t array_max_running = 0;
  Instant limit_end;  // of a running job
  bool special_exit = false;
};
struct ArrayTasksCancelled {
  JobId array_job;
  IndexSet tasks;
  Uid by;
};
struct JobStarted {
  JobId job;
  PartitionId partition;
  Ref<Allocation> allocation;
  Instant limit_end;
  bool configuring = false;  // until JobConfigured
};
// All prologs that its steps wait for have run, and all its nodes are up.
struct JobConfigured {
  JobId job;
  Instant limit_end;  // if given, its nodes had to be switched on: its time counts from now
};
// The batch host has it: if it is not there from now on, it was lost, and had begun.
struct JobLaunched {
  JobId job;
};
// A running job has less from now on. What it gives back is its until the nodes are clean: then
// JobNodeReleased follows for each.
struct JobShrunk {
  JobId job;
  Ref<JobSpec> spec;           // asks for no more than there is left
  Ref<Allocation> allocation;  // that stays
  Ref<Allocation> leaving;     // all that is not back yet
};
// A running job is to have less memory: when all its nodes have lowered its limits.
struct JobMemoryWanted {
  JobId job;
  std::uint64_t memory_mb = 0;  // on each node; 0: it keeps what it has
  bool looked = false;          // by --mem-update, which looks once
};
// They have: what is above is free.
struct JobMemoryLowered {
  JobId job;
  Ref<Allocation> allocation;
};
struct AllocationChanged {
  JobId job;
  Ref<Allocation> allocation;
};
// The job is over: this is its final state. It still holds `nodes_left` until they confirm that
// they are clean.
struct JobFinished {
  JobId job;
  JobState state = JobState::Completed;
  Reason reason = Reason::None;
  ExitStatus exit;
  Uid by;
  bool requeue = false;  // goes back to the queue when the last node is clean
  bool epilog = false;   // and EpilogSlurmctld has run: it is to, when the last node is clean
};
// EpilogSlurmctld has run, well or not.
struct JobEpilogEnded {
  JobId job;
};
struct JobNodeReleased {
  JobId job;
  NodeId node;
};
struct JobRequeued {
  JobId job;
  Sluid sluid;
  Instant begin;
  Holds holds;
  Reason reason = Reason::None;
  bool special_exit = false;
};
struct JobSuspended {
  JobId job;
};
struct JobResumed {
  JobId job;
};
// It makes room for another. What becomes of it follows as an event of its own: JobSuspended, or
// JobFinished when its time of grace is over.
struct JobPreempted {
  JobId job;
  JobId by;
  PreemptMode mode = PreemptMode::Off;
  Instant limit_end;  // from now on; none: as it was
};
// MinJobAge has passed: the record leaves the state. History stays in the log's readers.
struct JobForgotten {
  JobId job;
};

// --- steps ---
struct StepStarted {
  JobId job;
  Step step;
};
// By its owner's or an administrator's hand.
struct StepUpdated {
  JobId job;
  StepId step;
  Instant limit_end;
};
struct StepNodeEnded {
  JobId job;
  StepId step;
  NodeId node;
  ExitStatus exit;
  StepUsage usage;
  bool out_of_memory = false;
};
// Everything a step leaves behind for accounting; it is no longer part of the job's state.
struct StepEnded {
  JobId job;
  StepId step;
  ExitStatus exit;
  StepUsage usage;
  bool out_of_memory = false;
};

// --- triggers and crontabs ---
struct TriggerSet {
  Trigger trigger;
};
// Taken back, or pulled and not permanent. What it runs leaves when this is durable.
struct TriggerCleared {
  TriggerId trigger;
  bool pulled = false;
};
// The whole of a user's crontab; an empty text: there is none any more.
struct CrontabSet {
  Crontab crontab;
};

// --- answers ---
// What a client was told that asks again if it does not hear it: done once, answered as often as it
// takes. `answer` is a message of kind `type`, as it leaves.
struct RequestAnswered {
  Uid by;
  std::uint64_t key = 0;  // the client's own number for its request
  std::uint32_t type = 0;
  std::string answer;
};

using EventBody =
    std::variant<UnknownEvent, ClusterFounded, NodesDefined, NodeRemoved, PartitionDefined,
                 PartitionRemoved, NodeRegistered, NodeResponded, NodeStoppedResponding,
                 NodeStateChanged, JobSubmitted, ArrayTaskSplit, JobUpdated, ArrayTasksCancelled,
                 JobStarted, JobLaunched, AllocationChanged, JobFinished, JobNodeReleased,
                 JobRequeued, JobSuspended, JobResumed, JobForgotten, StepStarted, StepNodeEnded,
                 StepEnded, JobConfigured, NodeRebootChanged, JobEpilogEnded, NodeNoted,
                 ReservationDefined, ReservationRemoved, LicensesDefined, TriggerSet,
                 TriggerCleared, CrontabSet, StepUpdated, NodePowerChanged, JobShrunk, JobPreempted,
                 RequestAnswered, JobMemoryWanted, JobMemoryLowered>;

struct Event {
  Seq seq;
  Instant at;
  EventBody body;
};

}  // namespace ym
