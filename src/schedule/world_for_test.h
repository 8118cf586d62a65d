// SPDX-License-Identifier: Apache-2.0
// For tests: a cluster made of events, with a planner that sees each.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "model/apply.h"
#include "notation/array.h"
#include "schedule/het.h"
#include "schedule/planner.h"

namespace ym {

class World {
 public:
  static constexpr Instant kBegin{1'000'000'000};
  static constexpr std::uint64_t kMemory = 1000;  // of each node

  struct Machine {
    std::uint32_t nodes = 1, cpus = 1;  // cpus of each
    std::uint32_t gpus = 0;             // of each
    std::uint32_t threads = 1;          // of each core
    PlacementRules rules = {};
  };

  // Nodes n1 … that are up, in the partition "p", which is the first.
  explicit World(const Machine& machine) : World(machine, {{.name = "p", .is_default = true}}) {}
  // The same in these partitions, all of which have all nodes.
  World(const Machine& machine, const std::vector<PartitionSpec>& partitions)
      : planner(machine.rules) {
    NodesDefined defined;
    std::vector<NodeId> ids;
    std::string gres = machine.gpus ? fmt::format("gpu:{}", machine.gpus) : std::string();
    for (std::uint32_t i = 1; i <= machine.nodes; ++i) {
      NodeSpec spec{.name = fmt::format("n{}", i), .cpus = machine.cpus, .memory_mb = kMemory};
      spec.cores_per_socket = machine.cpus / machine.threads;
      spec.threads_per_core = machine.threads;
      spec.gres = gres;
      defined.nodes.push_back({{i}, Ref(spec)});
      ids.push_back({i});
    }
    happen(defined);
    for (NodeId id : ids) {
      NodeRegistration registration{.cpus = machine.cpus};
      if (machine.gpus)
        registration.gres = {{.name = "gpu",
                              .count = machine.gpus,
                              .files = fmt::format("/dev/nvidia[0-{}]", machine.gpus - 1)}};
      happen(NodeRegistered{.node = id, .registration = Ref(registration)});
      happen(NodeStateChanged{.node = id, .condition = NodeCondition::Up});
    }
    std::uint32_t number = 0;
    for (const PartitionSpec& spec : partitions)
      happen(PartitionDefined{.partition = {++number}, .spec = Ref(spec), .nodes = Ref(ids)});
  }

  void happen(EventBody body) {
    Event event{.seq = {state.seq.value + 1}, .at = now, .body = std::move(body)};
    apply(state, event);
    planner.observe(event, state);
  }

  // In the partition "p" unless it names another; who comes later has less priority.
  JobId submit(JobSpec spec, const char* array = nullptr) {
    if (spec.partitions.empty()) spec.partitions = "p";
    JobId id{state.next_job_id};
    JobSubmitted event{.job = id, .sluid = {id.value}, .priority = automatic_priority(id, 0)};
    event.spec = Ref(std::move(spec));
    if (array) {
      auto parsed = ArrayExpression::parse(array);
      event.array = Ref(ArrayTasks{parsed->indices, parsed->max_running});
    }
    happen(event);
    return id;
  }
  // Components that start together.
  JobId submit_together(const std::vector<JobSpec>& specs) {
    JobId first{state.next_job_id};
    for (std::uint32_t i = 0; i < specs.size(); ++i) {
      JobId id{state.next_job_id};
      JobSpec spec = specs[i];
      if (spec.partitions.empty()) spec.partitions = "p";
      happen(JobSubmitted{.job = id,
                          .sluid = {id.value},
                          .spec = Ref(std::move(spec)),
                          .priority = automatic_priority(first, 0),
                          .het_job = first,
                          .het_offset = i,
                          .het_count = static_cast<std::uint32_t>(specs.size())});
    }
    return first;
  }

  Plan plan(const PlanBudget& budget = {}) { return planner.plan(state, now, budget); }

  void start(const Proposal& proposal) {
    JobId id = proposal.job;
    if (proposal.array_task != kNoTask) {
      bool last = state.find(id)->array->waiting.count() == 1;
      JobId element = last ? id : JobId{state.next_job_id};
      happen(ArrayTaskSplit{
          .array_job = id, .task = proposal.array_task, .job = element, .sluid = {element.value}});
      id = element;
    }
    happen(JobStarted{.job = id,
                      .partition = proposal.partition,
                      .allocation = Ref(proposal.allocation),
                      .limit_end = proposal.end});
    for (const Proposal& other : proposal.others) start(other);
  }

  // What the core does with a plan, on nodes that are clean at once.
  void commit(const Plan& plan) {
    for (const Preemption& one : plan.preemptions) {
      Instant until = one.grace > Duration(0) ? now + one.grace : Instant{};
      std::vector<JobId> victims;
      for (const Job* job : components_of(state, *state.find(one.victim)))
        victims.push_back(job->id);
      for (JobId id : victims) {
        happen(JobPreempted{.job = id, .by = one.by, .mode = one.mode, .limit_end = until});
        if (one.mode == PreemptMode::Suspend)
          happen(JobSuspended{.job = id});
        else if (!until)
          end(id, JobState::Preempted);
      }
    }
    for (const Proposal& one : plan.starts) start(one);
  }

  // It is over, wherever it was; its record stays.
  void end(JobId id, JobState how = JobState::Completed) {
    happen(JobFinished{.job = id, .state = how});
    std::vector<NodeId> left = state.find(id)->nodes_left;
    for (NodeId node : left) happen(JobNodeReleased{.job = id, .node = node});
  }

  Instant now = kBegin;
  State state;
  Planner planner;
};

}  // namespace ym
