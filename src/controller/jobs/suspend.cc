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

Status Controller::suspend(const Job& job, const Caller& caller, Instant now, Outbox& out) {
  // A user could let others' jobs wait for the memory that a suspended one keeps: operators
  // only, as in Slurm.
  if (!caller.operates()) return refuse(Errc::AccessDenied);
  if (job.state == JobState::Pending) return refuse(Errc::JobPending);
  if (is_terminal(job.state)) return refuse(Errc::AlreadyDone);
  if (job.state == JobState::Suspended) return {};
  JobId id = job.id;
  emit(JobSuspended{.job = id}, now, out);
  order_suspension(state_.jobs.at(id.value), out);
  return {};
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
    bool whole = job.spec->exclusive && job.is_parked();
    if (whole && node.jobs > node.parked) return false;
    // Its own hold on a whole node counts as taken, unless it is suspended for another.
    return (!job.is_parked() && node.exclusive > 0) || node.cpus_free() >= share.cpus;
  });
}

void Controller::go_on(JobId id, Instant now, Outbox& out) {
  emit(JobResumed{.job = id}, now, out);
  forget_limits(id);  // a step that was told of its end gets the same grace anew
  order_suspension(state_.jobs.at(id.value), out);
}

void Controller::order_suspension(const Job& job, Outbox& out) const {
  for (const NodeShare& share : job.allocation->nodes) order_suspension(job, share.node, out);
}

void Controller::order_suspension(const Job& job, NodeId node, Outbox& out) const {
  out.orders.push_back(
      {node,
       SuspendJob{.job = job.id, .sluid = job.sluid, .suspend = job.state == JobState::Suspended}});
}

}  // namespace ym
