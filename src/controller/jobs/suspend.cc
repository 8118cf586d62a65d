// SPDX-License-Identifier: Apache-2.0
// Suspending a job: its processes are frozen, its cpus are free for others, its memory is not. Time
// does not count meanwhile.
//
// Level-triggered: nodes report which attempts are frozen, and whoever differs is told again
// (nodes/report.cc); while a job is suspended its nodes are told every few seconds.
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"

namespace ym {
namespace {

constexpr std::uint16_t kSigCont = 18, kSigTstp = 20;

}  // namespace

Status Controller::suspend(const Job& job, const Caller& caller, Instant now, Outbox& out) {
  // A user could let others' jobs wait for the memory that a suspended one keeps: operators
  // only, as in Slurm.
  if (!caller.operates()) return refuse(Errc::AccessDenied);
  if (job.state == JobState::Pending) return refuse(Errc::JobPending);
  if (is_terminal(job.state)) return refuse(Errc::AlreadyDone);
  if (job.state == JobState::Suspended) return {};
  freeze(job.id, now, out);
  return {};
}

// Its processes are told first (SIGTSTP), so that they can get ready for it; they are frozen when
// PreemptParameters=suspend_grace_time is over. A controller that restarts meanwhile freezes them
// at once.
void Controller::freeze(JobId id, Instant now, Outbox& out) {
  emit(JobSuspended{.job = id}, now, out);
  const Job& job = state_.jobs.at(id.value);
  if (config_.preempt.suspend_grace_s == 0) return order_suspension(job, out);
  freezing_[id] = now + std::chrono::seconds(config_.preempt.suspend_grace_s);
  order_signal(job, kSigTstp, out);
}

void Controller::watch_freezing(Instant now, Outbox& out) {
  std::vector<JobId> due;
  for (const auto& [id, at] : freezing_)
    if (at <= now) due.push_back(id);
  for (JobId id : due) {
    freezing_.erase(id);
    const Job* job = state_.find(id);
    if (job && job->state == JobState::Suspended) order_suspension(*job, out);
  }
}

void Controller::order_signal(const Job& job, std::uint16_t signal, Outbox& out) {
  for (const NodeShare& share : job.allocation->nodes)
    out.orders.push_back(
        {share.node,
         SignalJob{.job = job.id, .sluid = job.sluid, .signal = signal, .whole_job = true}});
}

Status Controller::resume(const Job& job, const Caller& caller, Instant now, Outbox& out) {
  if (!caller.operates()) return refuse(Errc::AccessDenied);
  if (job.state == JobState::Pending) return refuse(Errc::JobPending);
  if (is_terminal(job.state)) return refuse(Errc::AlreadyDone);
  if (job.state != JobState::Suspended) return refuse(Errc::JobNotSuspended);
  if (!can_go_on(job)) return refuse(Errc::NodesBusy);
  go_on(job.id, now, out);
  return {};
}

bool Controller::can_go_on(const Job& job) const {
  return std::ranges::all_of(job.allocation->nodes, [&](const NodeShare& share) {
    const Node& node = state_.nodes.at(share.node.value);
    if (share.row) return node.cpus_free(share.row) >= share.cpus;
    bool whole = job.spec->exclusive && job.is_parked();
    if (whole && node.jobs > node.parked) return false;
    // Its own hold on a whole node counts as taken, unless it is suspended for another.
    return (!job.is_parked() && node.exclusive > 0) || node.cpus_free() >= share.cpus;
  });
}

void Controller::go_on(JobId id, Instant now, Outbox& out) {
  emit(JobResumed{.job = id}, now, out);
  forget_limits(id);  // a step that was told of its end gets the same grace anew
  freezing_.erase(id);
  const Job& job = state_.jobs.at(id.value);
  order_suspension(job, out);
  // Who stopped by himself when he was told goes on, too.
  if (config_.preempt.suspend_grace_s > 0) order_signal(job, kSigCont, out);
}

void Controller::order_suspension(const Job& job, Outbox& out) const {
  for (const NodeShare& share : job.allocation->nodes) order_suspension(job, share.node, out);
}

void Controller::order_suspension(const Job& job, NodeId node, Outbox& out) const {
  if (freezing_.contains(job.id)) return;  // not yet
  out.orders.push_back(
      {node,
       SuspendJob{.job = job.id, .sluid = job.sluid, .suspend = job.state == JobState::Suspended}});
}

}  // namespace ym
