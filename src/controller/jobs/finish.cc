// SPDX-License-Identifier: Apache-2.0
// The end of a job: its final state at once, its nodes when they are clean, the queue again if it
// is to be requeued.
#include <algorithm>

#include "controller/controller.h"
#include "controller/queries/rows.h"
#include "model/node_gres.h"

namespace ym {
namespace {

constexpr std::uint8_t kOomSignal = 125;  // Slurm's: killed because its memory was used up
// A job that could not be launched so often, one time after the other, is held: the default of
// MaxBatchRequeue, which is not read yet.
constexpr std::uint32_t kLaunchesMax = 5;

}  // namespace

Controller::Ending Controller::interactive_ending(ExitStatus exit) {
  if (exit.ok()) return {};
  if (exit.signal == kOomSignal)
    return {.state = JobState::OutOfMemory, .reason = Reason::OutOfMemory, .exit = exit};
  return {.state = JobState::Failed, .reason = Reason::NonZeroExitCode, .exit = exit};
}

void Controller::finish(JobId id, const Ending& ending, Instant now, Outbox& out) {
  // The end of one may have been that of another.
  for (JobId one : ending_together(state_.jobs.at(id.value), ending))
    if (!is_terminal(state_.jobs.at(one.value).state)) finish_one(one, ending, now, out);
}

void Controller::finish_one(JobId id, const Ending& ending, Instant now, Outbox& out) {
  bool epilog = !config_.controller_epilog.empty() && state_.jobs.at(id.value).holds_resources();
  bool expedited = may_be_expedited(state_.jobs.at(id.value), ending);
  if (expedited) set_keeping(id, true, now, out);
  bool again = ending.requeue || expedited ||
               (ending.state != JobState::Cancelled && is_in_crontab(state_.jobs.at(id.value)));
  emit(JobFinished{.job = id,
                   .state = ending.state,
                   .reason = ending.reason,
                   .exit = ending.exit,
                   .by = ending.by,
                   .requeue = again,
                   .epilog = epilog},
       now, out);
  owners_gone_.erase(id);
  forget_limits(id);
  preparing_.erase(id);
  controller_prologs_.erase(id);
  late_.erase(id);
  std::set<NodeId> dark;  // nothing of the job has come there
  if (auto waking = waking_.extract(id)) dark = std::move(waking.mapped());
  std::vector<NodeId> left = state_.jobs.at(id.value).nodes_left;
  if (left.empty()) return became_clean(id, now, out);
  for (NodeId node : left) {
    const Node* record = state_.find(node);
    if (dark.contains(node)) {
      release_node(id, node, now, out);
      continue;
    }
    order_kill(state_.jobs.at(id.value), node, ending.grace, out);
    // A node that is down is not waited for. If it can be reached all the same the order ends what
    // is there; if not, that is killed when it comes back (nodes/report.cc).
    if (record->condition == NodeCondition::Down) release_node(id, node, now, out);
  }
  if (!again) job_moved_on(id, now, out);
}

namespace {

// What the job's processes are told on their stderr. One that ended by itself says nothing.
KillCause cause_of(JobState state) {
  switch (state) {
    case JobState::Cancelled:
    case JobState::Deadline: return KillCause::Cancelled;
    case JobState::Timeout: return KillCause::TimeLimit;
    case JobState::NodeFail:
    case JobState::BootFail: return KillCause::NodeFailure;
    case JobState::Preempted: return KillCause::Preempted;
    default: return KillCause::None;
  }
}

}  // namespace

void Controller::order_kill(const Job& job, NodeId node, Duration grace, Outbox& out) const {
  KillJob kill{.job = job.id, .sluid = job.sluid, .grace = grace, .cause = cause_of(job.state)};
  if (!config_.epilog.empty()) {
    const Partition* partition = state_.find(job.partition);
    kill.spec = job.spec;
    kill.nodes = nodes_text(state_, *job.allocation);
    kill.partition = partition ? partition->spec->name : std::string();
    if (partition) kill.sharing = sharing_of(*partition->spec);
    kill.cluster = state_.cluster_name;
    kill.exit = job.exit;
    kill.start = job.start;
    kill.end = job.end;
    kill.array_job = job.array_job;
    kill.array_task = job.array_task;
    kill.restarts = job.restarts;
    if (job.allocation->gres) kill.gres = Ref(gres_on(*job.allocation->gres, node));
  }
  out.orders.push_back({node, std::move(kill)});
}

void Controller::release_node(JobId id, NodeId node, Instant now, Outbox& out) {
  const Job* job = state_.find(id);
  if (!job) return;
  bool left = std::ranges::find(job->nodes_left, node) != job->nodes_left.end();
  if (!left && !leaves(*job, node)) return;
  end_steps_on(id, node, now, out);
  emit(JobNodeReleased{.job = id, .node = node}, now, out);
  const Job& after = state_.jobs.at(id.value);
  if (is_terminal(after.state) && !after.completing()) became_clean(id, now, out);
}

// Nothing of the job is left anywhere.
void Controller::became_clean(JobId id, Instant now, Outbox& out) {
  blame_job_or_nodes(id, now, out);
  const Job& job = state_.jobs.at(id.value);
  bool again = comes_back(job);
  if (job.epilog_due)
    run_epilog(id, now, out);
  else if (again)
    requeue_now(id, now, out);
  if (!again) job_moved_on(id, now, out);
}

// REQUIRES: nothing of the job is left anywhere.
void Controller::requeue_now(JobId id, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  bool cron = is_in_crontab(job);
  Instant begin = cron ? next_time(job, now) : now;
  Holds holds = job.holds;
  Reason reason = cron ? Reason::None : job.end_reason;
  if (reason == Reason::JobLaunchFailure && job.failed_launches + 1 >= kLaunchesMax) {
    reason = Reason::MaxRequeue;
    holds.user = true;
  }
  emit(JobRequeued{.job = id,
                   .sluid = next_sluid(state_, now),
                   .begin = begin,
                   .holds = holds,
                   .reason = reason,
                   .special_exit = job.special_exit},
       now, out);
  if (cron) {
    JobUpdated update = unchanged(state_.jobs.at(id.value));
    JobSpec spec = *update.spec;
    spec.begin = begin;
    update.spec = Ref(std::move(spec));
    emit(std::move(update), now, out);
  }
  bring_back_others(state_.jobs.at(id.value), now, out);
  job_moved_on(id, now, out);
}

}  // namespace ym
