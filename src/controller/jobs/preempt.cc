// SPDX-License-Identifier: Apache-2.0
// Making room: a job that runs goes back to the queue, ends or is suspended for one that waits, as
// a plan proposes and the present allows; and whoever was suspended goes on when there is room.
#include "schedule/preempt.h"

#include <algorithm>

#include "controller/controller.h"
#include "schedule/het.h"
#include "schedule/shape.h"

namespace ym {
namespace {

constexpr std::uint16_t kSigTerm = 15, kSigCont = 18;

}  // namespace

// Is what the plan was made for still true?
bool Controller::may_be_preempted(const Preemption& plan, Instant now) const {
  const Job* victim = state_.find(plan.victim);
  const Job* by = state_.find(plan.by);
  const Partition* partition = state_.find(plan.partition);
  if (!victim || !by || !partition || victim->sluid != plan.sluid) return false;
  bool waits = by->state == JobState::Pending && !by->held() && by->dependency->empty() &&
               by->eligible <= std::max(now, state_.time);
  if (!waits || plan.shape != shape_hash(shape_key(*by->spec))) return false;
  if (refusal_of(*partition->spec, *by->spec) != Reason::None) return false;
  Preemptor preemptor{.spec = *by->spec, .partition = *partition->spec, .priority = by->priority};
  return may_preempt(config_.preempt, state_, *victim, preemptor, now) == plan.mode &&
         plan.mode != PreemptMode::Off;
}

bool Controller::preempt(const Preemption& plan, Instant now, Outbox& out) {
  if (!may_be_preempted(plan, now)) return false;
  // A heterogeneous job makes room as a whole.
  std::vector<JobId> victims;
  for (const Job* one : components_of(state_, state_.jobs.at(plan.victim.value)))
    if (one->state == JobState::Running) victims.push_back(one->id);
  for (JobId id : victims) {
    JobPreempted event{.job = id, .by = plan.by, .mode = plan.mode, .limit_end = {}};
    const Job& job = state_.jobs.at(id.value);
    if (plan.grace > Duration(0)) event.limit_end = std::min(job.limit_end, now + plan.grace);
    emit(event, now, out);
    if (plan.grace > Duration(0)) warn_of_preemption(state_.jobs.at(id.value), out);
  }
  if (plan.mode == PreemptMode::Suspend)
    freeze(plan.victim, now, out);
  else if (plan.grace == Duration(0))
    end_preempted(plan.victim, now, out);
  return true;
}

// What it is told when its time of grace begins: its own signal if the site wants that, or the
// usual ones. The script is not told unless it asked for that.
void Controller::warn_of_preemption(const Job& job, Outbox& out) const {
  const JobExtras& extras = *job.spec->extras;
  bool own = config_.preempt.send_user_signal && extras.signal;
  bool script = own && extras.signal_batch_only;
  auto order = [&](std::uint16_t signal) {
    for (const NodeShare& share : job.allocation->nodes) {
      out.orders.push_back(
          {share.node,
           SignalJob{.job = job.id, .sluid = job.sluid, .signal = signal, .batch_only = script}});
      if (script) break;  // it is on the first node
    }
  };
  order(kSigCont);
  order(own ? extras.signal : kSigTerm);
}

// Its time of grace is over, or it had none.
void Controller::end_preempted(JobId id, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  finish(id,
         {.state = JobState::Preempted,
          .reason = Reason::None,
          .exit = {.signal = 15},
          .requeue = job.preemption->mode == PreemptMode::Requeue,
          .grace = config_.kill_wait},
         now, out);
}

// Those who were suspended for others and have room again, the better first. Nobody else can have
// come in between: the planner keeps their places (schedule/book.cc).
void Controller::resume_preempted(Instant now, Outbox& out) {
  std::vector<JobId> parked;
  for (JobId id : indexes_.suspended())
    if (state_.jobs.at(id.value).is_parked()) parked.push_back(id);
  auto tier = [&](JobId id) {
    const Partition* partition = state_.find(state_.jobs.at(id.value).partition);
    return std::pair(~(partition ? partition->spec->priority_tier : 0), id);
  };
  std::ranges::sort(parked, {}, tier);
  for (JobId id : parked)
    if (can_go_on(state_.jobs.at(id.value))) go_on(id, now, out);
}

}  // namespace ym
