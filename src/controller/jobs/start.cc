// SPDX-License-Identifier: Apache-2.0
// The core's last word on a plan: each proposal is checked against the present and committed or
// dropped.
#include <algorithm>

#include "controller/controller.h"
#include "controller/queries/rows.h"
#include "model/node_gres.h"
#include "model/task_layout.h"
#include "notation/hostlist.h"
#include "schedule/booking.h"
#include "schedule/het.h"
#include "schedule/placement.h"
#include "schedule/shape.h"

namespace ym {
namespace {

bool may_run(const Job& job, Instant now) {
  return job.state == JobState::Pending && !job.held() && job.dependency->empty() &&
         job.eligible <= now;
}

// Tasks on each node of the allocation, as a step over all of it would lay them out.
std::vector<std::uint32_t> tasks_by_node(const State& state, const JobSpec& spec,
                                         const Allocation& allocation) {
  const BindingWish& wish = spec.extras->binding;
  TaskNeeds needs = needs_of(spec.cpus_per_task, spec.tasks_per_node, wish);
  auto tasks = std::max(tasks_on(spec, allocation.nodes.size()),
                        static_cast<std::uint32_t>(allocation.nodes.size()));
  std::vector<std::uint32_t> rooms;
  for (const NodeShare& share : allocation.nodes) {
    NodeShape shape = shape_of(*state.nodes.at(share.node.value).spec);
    rooms.push_back(std::max(1u, tasks_that_fit(needs, shape, share.cpus)));
  }
  auto distribution = Distribution::parse(wish.distribution).value_or(Distribution{});
  if (auto counts = task_counts(distribution, rooms, tasks)) return *counts;
  // More tasks than CPUs: --overcommit.
  return *task_counts(distribution, std::vector(rooms.size(), tasks), tasks);
}

}  // namespace

JobUpdated Controller::unchanged(const Job& job) {
  return {.job = job.id,
          .spec = job.spec,
          .holds = job.holds,
          .priority = job.priority,
          .dependency = job.dependency,
          .dependency_failed = job.dependency_failed,
          .array_max_running = job.array_max_running,
          .limit_end = job.limit_end,
          .special_exit = job.special_exit};
}

std::size_t Controller::commit(const Plan& plan, Instant now, Outbox& out) {
  std::size_t started = 0;
  for (const Preemption& one : plan.preemptions) preempt(one, now, out);
  for (const Proposal& proposal : plan.starts) started += start(proposal, now, out);
  return started;
}

bool Controller::start(const Proposal& proposal, Instant now, Outbox& out) {
  if (!proposal.others.empty()) return start_together(proposal, now, out);
  const Job* job = state_.find(proposal.job);
  if (!job || job->het_job || !may_start_now(state_, proposal, now, {})) return false;
  begin_running(start_one(proposal, now, out), now, out);
  return true;
}

// `state` is the present, or what it would be with other components of the same job.
bool Controller::may_start_now(const State& state, const Proposal& proposal, Instant now,
                               const std::vector<const Allocation*>& held) const {
  const Job* job = state.find(proposal.job);
  const Partition* partition = state.find(proposal.partition);
  // What was due once is, also if the clock was set back since.
  if (!job || !partition || !may_run(*job, std::max(now, state_.time))) return false;
  // The request or the partition may have changed since the plan was made.
  if (proposal.shape != shape_hash(shape_key(*job->spec))) return false;
  if (refusal_of(*partition->spec, *job->spec) != Reason::None) return false;
  bool within = std::ranges::all_of(proposal.allocation.nodes, [&](const NodeShare& share) {
    return std::ranges::binary_search(*partition->nodes, share.node);
  });
  if (!within || proposal.allocation.nodes.size() > partition->spec->max_nodes) return false;
  if (array_is_full(*job)) return false;
  PlacementRules rules = rules_in(*partition->spec, placement_rules());
  if (!still_fits(state, *job->spec, proposal.allocation, rules)) return false;
  if (!reservations_allow(*job, proposal.allocation, now, held)) return false;
  bool is_element = proposal.array_task != kNoTask;
  if (is_element != static_cast<bool>(job->array)) return false;
  return !is_element || job->array->waiting.contains(proposal.array_task);
}

// REQUIRES: may_start_now().
JobId Controller::start_one(const Proposal& proposal, Instant now, Outbox& out) {
  bool is_element = proposal.array_task != kNoTask;
  JobId id = is_element ? split(proposal.job, proposal.array_task, now, out) : proposal.job;
  if (proposal.time_limit_s) shorten(id, proposal.time_limit_s, now, out);
  const JobSpec& spec = *state_.jobs.at(id.value).spec;
  Instant limit_end = latest_end(spec, now);
  if (spec.deadline) limit_end = std::min(limit_end, spec.deadline);
  // Its time counts from when its nodes are up: JobConfigured.
  Allocation allocation = proposal.allocation;
  allocation.batch_node = batch_node(spec, allocation);
  bool awake = is_awake(proposal.allocation) && !reboots_nodes(spec);
  if (!awake && limit_end < kNever)
    limit_end = limit_end +
                (reboots_nodes(spec) ? config_.resume_timeout : time_to_wake(proposal.allocation));
  emit(JobStarted{.job = id,
                  .partition = proposal.partition,
                  .allocation = Ref(std::move(allocation)),
                  .limit_end = limit_end,
                  .configuring = must_configure() || !awake},
       now, out);
  set_keeping(id, false, now, out);
  owners_gone_.erase(id);
  if (indexes_.interactive().contains(id))
    owners_gone_[id] = now;  // until its client says that it is there
  if (config_.prolog_flags.contain) start_extern(id, now, out);
  return id;
}

// What follows from a start that is written down.
void Controller::begin_running(JobId id, Instant now, Outbox& out) {
  begin_configuring(id, now, out);
  job_moved_on(id, now, out);
}

// --time-min: it starts at once with less time than it would have liked.
void Controller::shorten(JobId id, std::uint32_t time_limit_s, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  JobUpdated event = unchanged(job);
  JobSpec spec = *job.spec;
  spec.time_limit_s = time_limit_s;
  event.spec = Ref(std::move(spec));
  emit(std::move(event), now, out);
}

// Do as many elements of the job's array run as may at once? O(elements with a record), for arrays
// with a limit only.
bool Controller::array_is_full(const Job& job) const {
  if (!job.array_max_running) return false;
  auto runs = [&](JobId id) {
    const Job* other = state_.find(id);
    return other && (other->state == JobState::Running || other->state == JobState::Suspended);
  };
  const Indexes::JobSet& elements = indexes_.elements_of(job.array_job);
  auto running = std::ranges::count_if(elements, runs) + (runs(job.array_job) ? 1 : 0);
  return running >= static_cast<std::ptrdiff_t>(job.array_max_running);
}

// The batch script goes to the first node of the allocation.
void Controller::send_launch(const Job& job, Outbox& out) const {
  NodeId host = job.allocation->batch_share().node;
  out.orders.push_back({host, launch_order(job, host)});
}

// The components as they run; one that is over has no nodes.
std::vector<HetComponent> Controller::component_facts(const Job& job) const {
  std::vector<HetComponent> facts;
  for (const Job* one : components_of(state_, job)) {
    HetComponent fact{.job = one->id, .spec = one->spec};
    if (one->holds_resources()) {
      fact.nodes = nodes_text(state_, *one->allocation);
      for (const NodeShare& share : one->allocation->nodes) fact.cpus.push_back(share.cpus);
      fact.tasks = tasks_by_node(state_, *one->spec, *one->allocation);
    }
    if (const Partition* partition = state_.find(one->partition))
      fact.partition = partition->spec->name;
    facts.push_back(std::move(fact));
  }
  return facts;
}

LaunchJob Controller::launch_order(const Job& job, NodeId node) const {
  std::vector<std::string> names;
  LaunchJob launch{.job = job.id, .sluid = job.sluid, .spec = job.spec};
  for (const NodeShare& share : job.allocation->nodes) {
    names.push_back(state_.nodes.at(share.node.value).spec->name);
    launch.cpus.push_back(share.cpus);
  }
  launch.rows = job.allocation->rows();
  launch.tasks = tasks_by_node(state_, *job.spec, *job.allocation);
  launch.nodes = Hostlist::of(names).str();
  launch.array_job = job.array_job;
  launch.array_task = job.array_task;
  launch.restarts = job.restarts;
  launch.cluster = state_.cluster_name;
  if (const Partition* partition = state_.find(job.partition)) {
    launch.partition = partition->spec->name;
    launch.sharing = sharing_of(*partition->spec);
  }
  launch.memory_mb = job.allocation->batch_share().memory_mb;
  launch.start = job.start;
  launch.limit_end = job.limit_end;
  if (job.allocation->gres) launch.gres = Ref(gres_on(*job.allocation->gres, node));
  launch.het_job = job.het_job;
  if (job.het_job && job.runs_script()) launch.components = component_facts(job);
  return launch;
}

}  // namespace ym
