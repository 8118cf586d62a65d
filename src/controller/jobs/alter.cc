// SPDX-License-Identifier: Apache-2.0
// One verb for the jobs that a filter selects: cancel, signal, hold, release, requeue, update,
// complete.
#include <algorithm>

#include "controller/controller.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "model/errc.h"

namespace ym {
namespace {

JobOutcome outcome_of(JobId id, std::string display, const Status& status) {
  JobOutcome outcome{.job = id, .display = std::move(display)};
  if (!status) {
    outcome.code = status.error().code;
    outcome.text = status.error().text;
  }
  return outcome;
}

// Slurm says it in two ways.
Errc denial_of(JobVerb verb) {
  bool ends = verb == JobVerb::Cancel || verb == JobVerb::Signal || verb == JobVerb::Complete;
  return ends ? Errc::AccessDenied : Errc::InvalidUserId;
}

// So many elements of an array may get records of their own by one request; more are cancelled
// without.
constexpr std::uint32_t kSplitMax = 1000;

std::string display_of(const JobTarget& target) {
  std::string text = std::to_string(target.job.value);
  if (target.tasks) text += "_" + target.tasks->str();
  if (target.component) text += "+" + std::to_string(*target.component);
  return text;
}

}  // namespace

void Controller::alter(RequestId request, const AlterJobs& alter, const Caller& caller, Instant now,
                       Outbox& out) {
  AlterAnswer answers;
  // Of a heterogeneous job that is meant as a whole the first component takes the others along.
  bool as_one = alter.verb == JobVerb::Cancel || alter.verb == JobVerb::Requeue ||
                alter.verb == JobVerb::RequeueHold || alter.verb == JobVerb::Complete;
  auto goes_with_its_first = [&](JobId id, const std::set<JobId>& ids) {
    const Job* job = state_.find(id);
    return as_one && job && job->is_later_component() && ids.contains(job->het_job);
  };
  auto apply_to = [&](JobId id, const JobTarget& target) {
    const Job* job = state_.find(id);
    if (!job) return;  // an earlier target of this request took it along
    // A component is called as the caller called it.
    bool by_number = job->is_later_component() && target.job == id;
    std::string display = by_number ? std::to_string(id.value) : display_id(*job);
    bool some_elements = job->array && target.tasks;
    bool alone = target.job && (target.component || target.job != job->het_job);
    Status status;
    if (!may_alter(*job, caller))
      status = refuse(denial_of(alter.verb));
    else if (Status allowed = het_allows(*job, alter.verb, alone); !allowed && !target.step)
      status = allowed;
    else if (some_elements)
      status = alter_tasks(id, *target.tasks, alter, caller, now, out);
    else if (alter.verb == JobVerb::Signal)
      status = signal(*job, alter, target.step, out);
    else if (alter.verb == JobVerb::Cancel && target.step)
      status = signal(*job, alter, target.step, out);
    else
      status = alter_one(id, alter, caller, now, out);
    answers.outcomes.push_back(
        outcome_of(id, some_elements ? display_of(target) : std::move(display), status));
  };
  if (alter.filter.targets.empty()) {
    std::set<JobId> ids;
    for_each_selected(state_, alter.filter, [&](const Job& job) {
      bool spared = alter.verb == JobVerb::Cancel && !alter.cron && is_in_crontab(job);
      if (may_alter(job, caller) && !spared) ids.insert(job.id);
      return true;
    });
    for (JobId id : ids)
      if (!goes_with_its_first(id, ids)) apply_to(id, {});
  }
  for (const JobTarget& target : alter.filter.targets) {
    std::set<JobId> ids = records_of(state_, target);
    std::erase_if(ids, [&](JobId id) { return goes_with_its_first(id, ids); });
    if (ids.empty())
      answers.outcomes.push_back(
          outcome_of(target.job, display_of(target), refuse(Errc::InvalidJobId)));
    for (JobId id : ids) {
      const Job* job = state_.find(id);
      // A filter beside the ids narrows them; ids alone mean exactly these, whatever their state.
      JobFilter narrowed = alter.filter;
      narrowed.all_states = narrowed.all_states || narrowed.states.empty();
      if (job && FilterMatch(narrowed, state_)(*job)) apply_to(id, target);
    }
  }
  answer(request, std::move(answers), out);
}

Status Controller::alter_one(JobId id, const AlterJobs& alter, const Caller& caller, Instant now,
                             Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  switch (alter.verb) {
    case JobVerb::Update: return update(job, alter.patch, caller, now, out);
    case JobVerb::Hold:
    case JobVerb::HoldUser:
    case JobVerb::Release: return set_holds(job, alter.verb, caller, now, out);
    case JobVerb::Requeue:
    case JobVerb::RequeueHold: return requeue(job, alter, caller, now, out);
    case JobVerb::Cancel:
      if (is_in_crontab(job)) {
        if (!alter.cron) return fail("Cannot cancel scrontab jobs without --cron flag.");
        leave_crontab(job, now, out);
      }
      return cancel(state_.jobs.at(id.value), caller, now, out);
    case JobVerb::Complete:
      if (job.spec->batch || job.state != JobState::Running) return refuse(Errc::AlreadyDone);
      finish(id, interactive_ending(alter.exit), now, out);
      return {};
    case JobVerb::Suspend: return suspend(job, caller, now, out);
    case JobVerb::Resume: return resume(job, caller, now, out);
    case JobVerb::Top:
      // Users may not, unless a site allows them to.
      return caller.operates() ? top(job, now, out) : Status(refuse(Errc::Disabled));
    case JobVerb::Notify: return notify(job, alter.text, out);
    case JobVerb::Signal: break;
  }
  return refuse(Errc::Disabled);
}

// Some elements of an array that have no record yet. Cancelling them leaves the others together;
// everything else makes each of them a job of its own.
Status Controller::alter_tasks(JobId array, const IndexSet& tasks, const AlterJobs& alter,
                               const Caller& caller, Instant now, Outbox& out) {
  IndexSet chosen = state_.jobs.at(array.value).array->waiting.intersected(tasks);
  if (chosen.empty()) return {};  // they have records: found beside this one
  bool all = chosen.count() == state_.jobs.at(array.value).array->waiting.count();
  if (all) return alter_one(array, alter, caller, now, out);
  // They ended together and stay together.
  if (is_terminal(state_.jobs.at(array.value).state)) return refuse(Errc::AlreadyDone);
  if (alter.verb == JobVerb::Cancel && chosen.count() > kSplitMax) {
    emit(ArrayTasksCancelled{.array_job = array, .tasks = chosen, .by = caller.uid}, now, out);
    job_moved_on(array, now, out);
    return {};
  }
  if (state_.jobs.size() + chosen.count() > config_.max_job_count) return refuse(Errc::QueueFull);
  Status status;
  std::vector<std::uint32_t> indices;
  chosen.for_each([&](std::uint32_t task) { indices.push_back(task); });
  for (std::uint32_t task : indices) {
    Status one = alter_one(split(array, task, now, out), alter, caller, now, out);
    if (!one) status = one;
  }
  return status;
}

Status Controller::cancel(const Job& job, const Caller& caller, Instant now, Outbox& out) {
  // On its way back to the queue: it can be cancelled there in a moment.
  if (is_terminal(job.state))
    return refuse(job.requeue_wanted ? Errc::TransitionStateNoUpdate : Errc::AlreadyDone);
  // Why it was waiting stays on show.
  bool pending = job.state == JobState::Pending;
  finish(job.id,
         {.state = JobState::Cancelled,
          .reason = pending ? reason_of(job, {}, now) : Reason::None,
          .exit = {.signal = static_cast<std::uint8_t>(pending ? 0 : 15)},
          .by = caller.uid,
          .grace = config_.kill_wait},
         now, out);
  return {};
}

Status Controller::signal(const Job& job, const AlterJobs& alter, std::optional<StepId> step,
                          Outbox& out) {
  if (job.state == JobState::Pending) return refuse(Errc::JobPending);
  if (is_terminal(job.state)) return refuse(step ? Errc::AlreadyDone : Errc::InvalidJobId);
  if (step && *step != kBatchStep) {
    bool known = std::ranges::any_of(*job.steps, [&](const Step& s) { return s.id == *step; });
    if (!known) return refuse(Errc::InvalidStep);
  }
  std::uint16_t number = alter.signal ? alter.signal : 9;
  KillCause cause = number == 9 ? KillCause::Cancelled : KillCause::None;
  for (const NodeShare& share : job.allocation->nodes)
    out.orders.push_back({share.node, SignalJob{.job = job.id,
                                                .sluid = job.sluid,
                                                .signal = number,
                                                .batch_only = alter.batch_only,
                                                .whole_job = alter.whole_job,
                                                .step = step,
                                                .cause = cause}});
  return {};
}

Status Controller::set_holds(const Job& job, JobVerb verb, const Caller& caller, Instant now,
                             Outbox& out) {
  // A running one is held if it comes back to the queue.
  if (is_terminal(job.state) && !job.requeue_wanted) return refuse(Errc::JobFinished);
  JobUpdated event = unchanged(job);
  JobId id = job.id;
  if (verb == JobVerb::Release) {
    if (job.holds.admin && !caller.operates()) return refuse(Errc::AccessDenied);
    event.holds = {};
  } else if (verb == JobVerb::Hold && caller.operates()) {
    event.holds.admin = true;
  } else {
    event.holds.user = true;
  }
  if (event.holds == job.holds) return {};
  emit(std::move(event), now, out);
  review_dependency(id, now, out);  // singleton looks at holds
  return {};
}

Status Controller::requeue(const Job& job, const AlterJobs& alter, const Caller& caller,
                           Instant now, Outbox& out) {
  if (!job.spec->batch) return refuse(Errc::BatchOnly);
  if (!job.spec->requeue) return refuse(Errc::Disabled);  // --no-requeue
  JobId id = job.id;
  bool hold = alter.verb == JobVerb::RequeueHold;
  if (alter.incomplete_only && job.state == JobState::Completed) return {};
  if (job.state == JobState::Pending && !hold) return refuse(Errc::JobPending);
  // Whoever had it suspended does not expect it to run.
  bool suspended = job.state == JobState::Suspended;
  if (hold || suspended) {
    JobUpdated event = unchanged(job);
    (caller.operates() || suspended ? event.holds.admin : event.holds.user) = true;
    event.special_exit = hold && alter.special_exit;
    emit(std::move(event), now, out);
  }
  const Job& current = state_.jobs.at(id.value);
  if (current.state == JobState::Pending) return {};
  if (!is_terminal(current.state)) {
    finish(id,
           {.state = JobState::Cancelled,
            .reason = hold ? Reason::RequeuedHeld : Reason::None,
            .by = caller.uid,
            .requeue = true,
            .grace = config_.kill_wait},
           now, out);
    return {};
  }
  if (current.completing()) return refuse(Errc::TransitionStateNoUpdate);
  Reason reason = hold ? Reason::RequeuedHeld : Reason::None;
  emit(JobRequeued{.job = id,
                   .sluid = next_sluid(state_, now),
                   .begin = now,
                   .holds = current.holds,
                   .reason = reason,
                   .special_exit = hold && alter.special_exit},
       now, out);
  bring_back_others(state_.jobs.at(id.value), now, out);
  job_moved_on(id, now, out);  // what depends on its end may hope again
  return {};
}

}  // namespace ym
