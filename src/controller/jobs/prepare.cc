// SPDX-License-Identifier: Apache-2.0
// Between the start of a job and its first step: the controller's own prolog, then those of the
// nodes (PrologFlags=Alloc), then the script. And what happens when one of them fails.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "schedule/placement.h"

namespace ym {
namespace {

bool has_parameter(const ClusterConfig& config, std::string_view key, std::string_view word) {
  for (const auto& [name, value] : config.shown)
    if (name == key)
      return std::ranges::any_of(split(value, ','), [&](std::string_view one) {
        return same_ignoring_case(trim(one), word);
      });
  return false;
}

// --wait-all-nodes=0: it begins although some of its nodes are not up. A script needs its own.
bool may_begin_early(const Job& job, const std::set<NodeId>& waking) {
  constexpr std::uint8_t kDoNotWait = 1;
  if (job.spec->extras->specials->wait_all_nodes != kDoNotWait || !job.configuring) return false;
  return !job.runs_script() || !waking.contains(job.allocation->batch_share().node);
}

}  // namespace

bool Controller::prepares_nodes() const {
  const PrologFlags& flags = config_.prolog_flags;
  return flags.alloc && (!config_.prolog.empty() || flags.contain);
}

// Do a job's steps and its client have to wait?
bool Controller::must_configure() const {
  bool nodes = prepares_nodes() && !config_.prolog_flags.no_hold;
  return nodes || !config_.controller_prolog.empty();
}

// REQUIRES: the job has just started, or is configuring after a restart of the controller.
void Controller::begin_configuring(JobId id, Instant now, Outbox& out) {
  for (const NodeShare& share : state_.jobs.at(id.value).allocation->nodes) {
    const Node& node = state_.nodes.at(share.node.value);
    if (!node.must_wake()) continue;
    waking_[id].insert(share.node);
    late_.insert(id);
    if (node.asleep()) set_power(share.node, PowerPhase::UpWanted, now, out);
  }
  if (reboots_nodes(*state_.jobs.at(id.value).spec)) reboot_for(id, now, out);
  const Job& job = state_.jobs.at(id.value);
  if (config_.controller_prolog.empty()) return go_on_configuring(id, now, out);
  controller_prologs_.insert(id);
  out.programs.push_back({.job = id,
                          .sluid = job.sluid,
                          .facts = launch_order(job, job.allocation->batch_share().node)});
}

// Its nodes are up and PrologSlurmctld has run, if both are so: now those of the nodes.
void Controller::go_on_configuring(JobId id, Instant now, Outbox& out) {
  if (controller_prologs_.contains(id)) return;
  if (auto waking = waking_.find(id); waking != waking_.end()) {
    if (must_configure() || !may_begin_early(state_.jobs.at(id.value), waking->second)) return;
    configured(id, now, out);
    const Job& begun = state_.jobs.at(id.value);
    if (begun.runs_script() && !begun.launched) send_launch(begun, out);
    return;
  }
  launch(state_.jobs.at(id.value), out);
  bool waits = preparing_.contains(id) && !config_.prolog_flags.no_hold;
  if (!waits && state_.jobs.at(id.value).configuring) configured(id, now, out);
}

void Controller::configured(JobId id, Instant now, Outbox& out) {
  JobConfigured event{.job = id};
  if (late_.erase(id)) {
    const JobSpec& spec = *state_.jobs.at(id.value).spec;
    event.limit_end = latest_end(spec, now);
    if (spec.deadline) event.limit_end = std::min(event.limit_end, spec.deadline);
  }
  emit(event, now, out);
}

void Controller::nodes_awake(JobId id, Instant now, Outbox& out) {
  const Job* job = state_.find(id);
  if (job && job->state == JobState::Running) go_on_configuring(id, now, out);
}

void Controller::stop_waking(JobId id, NodeId node, Instant now, Outbox& out) {
  auto waiting = waking_.find(id);
  if (waiting == waking_.end() || waiting->second.erase(node) == 0) return;
  if (waiting->second.empty()) waking_.erase(waiting);
  nodes_awake(id, now, out);
}

void Controller::launch(const Job& job, Outbox& out) {
  if (prepares_nodes()) {
    std::set<NodeId>& waiting = preparing_[job.id];
    for (const NodeShare& share : job.allocation->nodes) waiting.insert(share.node);
  }
  bool script = job.runs_script() && !job.launched && batch_may_launch(job);
  if (script) send_launch(job, out);
  if (!prepares_nodes()) return;
  for (const NodeShare& share : job.allocation->nodes) {
    bool told = script && share.node == job.allocation->batch_share().node;
    if (!told) send_prepare(job, share.node, out);
  }
}

void Controller::send_prepare(const Job& job, NodeId node, Outbox& out) const {
  LaunchJob order = launch_order(job, node);
  order.prepare_only = true;
  out.orders.push_back({node, std::move(order)});
}

bool Controller::batch_may_launch(const Job& job) const {
  if (controller_prologs_.contains(job.id) || waking_.contains(job.id)) return false;
  return !(config_.prolog_flags.defer_batch && preparing_.contains(job.id));
}

void Controller::node_prepared(JobId id, NodeId node, Instant now, Outbox& out) {
  auto waiting = preparing_.find(id);
  if (waiting == preparing_.end() || waiting->second.erase(node) == 0) return;
  if (!waiting->second.empty()) return;
  preparing_.erase(waiting);
  const Job& job = state_.jobs.at(id.value);
  if (job.configuring) configured(id, now, out);
  const Job& ready = state_.jobs.at(id.value);
  if (ready.runs_script() && !ready.launched && config_.prolog_flags.defer_batch)
    send_launch(ready, out);
}

void Controller::program_ended(JobId id, Sluid sluid, const std::string& error, Instant now,
                               Outbox& out) {
  const Job* job = state_.find(id);
  if (!job || job->sluid != sluid || controller_prologs_.erase(id) == 0) return;
  if (job->state != JobState::Running) return;
  if (!error.empty()) return fail_start(id, Reason::JobLaunchFailure, false, now, out);
  go_on_configuring(id, now, out);
}

void Controller::prolog_failed(JobId id, NodeId node, Instant now, Outbox& out) {
  drain(node, "Prolog error", now, out);
  // srun may have heard of it first, and have ended its job.
  if (state_.jobs.at(id.value).state != JobState::Running) return;
  bool hold = !has_parameter(config_, "SchedulerParameters", "nohold_on_prolog_fail");
  fail_start(id, hold ? Reason::LaunchFailedRequeuedHeld : Reason::JobLaunchFailure, hold, now,
             out);
}

// Nothing of the job has run: it goes back to the queue where it may.
void Controller::fail_start(JobId id, Reason reason, bool hold, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  bool again = job.spec->batch && (job.spec->requeue || config_.prolog_flags.force_requeue_on_fail);
  if (again && hold) {
    JobUpdated held{.job = id,
                    .spec = job.spec,
                    .holds = job.holds,
                    .priority = job.priority,
                    .dependency = job.dependency,
                    .dependency_failed = job.dependency_failed,
                    .array_max_running = job.array_max_running,
                    .limit_end = job.limit_end};
    held.holds.user = true;
    emit(std::move(held), now, out);
  }
  finish(id,
         {.state = again ? JobState::NodeFail : JobState::Failed,
          .reason = again ? reason : Reason::JobLaunchFailure,
          .exit = {.code = 1},
          .requeue = again},
         now, out);
}

// PrologFlags=Contain: a step without tasks on every node, for what comes into the job from
// outside. It ends with the job.
void Controller::start_extern(JobId id, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  Step step{.id = kExternStep, .name = "extern", .overlap = true, .start = now};
  for (const NodeShare& share : job.allocation->nodes) {
    step.shares.push_back({.node = share.node, .first_task = step.tasks, .tasks = 1});
    step.nodes_left.push_back(share.node);
    ++step.tasks;
  }
  emit(StepStarted{.job = id, .step = std::move(step)}, now, out);
}

// EpilogSlurmctld of a job that held nodes. Only its way back to the queue waits for it. That it
// has run is written down: after a restart of the controller it may run twice, but is never left
// out.
void Controller::run_epilog(JobId id, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  if (config_.controller_epilog.empty()) return epilog_ended(id, job.sluid, now, out);
  out.programs.push_back({.job = job.id,
                          .sluid = job.sluid,
                          .epilog = true,
                          .facts = launch_order(job, job.allocation->batch_share().node),
                          .exit = job.exit});
}

void Controller::epilog_ended(JobId id, Sluid sluid, Instant now, Outbox& out) {
  const Job* job = state_.find(id);
  if (!job || job->sluid != sluid || !job->epilog_due) return;
  emit(JobEpilogEnded{.job = id}, now, out);
  if (comes_back(state_.jobs.at(id.value))) requeue_now(id, now, out);
}

// After a restart: jobs that are clean and yet not done with.
void Controller::go_on_after_ends(Instant now, Outbox& out) {
  std::vector<JobId> owed, again;
  state_.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (!is_terminal(job.state) || job.completing()) return;
    if (job.epilog_due)
      owed.push_back(job.id);
    else if (job.requeue_wanted)
      again.push_back(job.id);
  });
  for (JobId job : owed) run_epilog(job, now, out);
  for (JobId job : again) {
    blame_job_or_nodes(job, now, out);
    if (comes_back(state_.jobs.at(job.value))) requeue_now(job, now, out);
  }
}

// The node takes no more work until an administrator has looked at it.
void Controller::drain(NodeId id, const std::string& reason, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  if (node.drain) return;
  change_node(node,
              {.node = id,
               .condition = node.condition,
               .drain = true,
               .fail = node.fail,
               .down_by_admin = node.down_by_admin,
               .reason = reason,
               .by = {}},
              now, out);
}

}  // namespace ym
