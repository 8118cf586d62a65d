// SPDX-License-Identifier: Apache-2.0
// Time limits of jobs and steps, and the signals that announce them.
#include <algorithm>

#include "controller/controller.h"

namespace ym {
namespace {

constexpr std::uint16_t kSigKill = 9, kSigTerm = 15, kSigCont = 18;

}  // namespace

// --signal: once for each limit that the job has had. That it was sent is not written down: after a
// restart it may come twice, but it is never left out (begin_watch).
void Controller::warn_of_limits(Instant now, Outbox& out) {
  for (const auto& [at, id] : indexes_.by_warning()) {
    if (at > now) return;
    const Job& job = state_.jobs.at(id.value);
    Instant& warned = warned_[id];
    if (warned == job.limit_end) continue;
    warned = job.limit_end;
    const JobExtras& extras = *job.spec->extras;
    if (extras.signal_batch_only && !job.runs_script()) continue;
    for (const NodeShare& share : job.allocation->nodes) {
      out.orders.push_back({share.node, SignalJob{.job = id,
                                                  .sluid = job.sluid,
                                                  .signal = extras.signal,
                                                  .batch_only = extras.signal_batch_only}});
      if (extras.signal_batch_only) break;  // the script is on the first node
    }
  }
}

// The partition's OverTimeLimit counts before the cluster's. Looks at the jobs beyond their limit
// only, of which those that may go on are few.
void Controller::enforce_limits(Instant now, Outbox& out) {
  std::vector<JobId> due;
  for (const auto& [limit, id] : indexes_.by_limit()) {
    if (limit > now) break;
    const Partition* partition = state_.find(state_.jobs.at(id.value).partition);
    std::uint32_t minutes = partition ? partition->spec->over_time_limit_min : kOverTimeOfCluster;
    Duration over = minutes == kOverTimeOfCluster ? config_.over_time_limit
                                                  : Duration(std::chrono::minutes(minutes));
    const JobSpec& spec = *state_.jobs.at(id.value).spec;
    bool missed = spec.deadline && spec.deadline <= now;
    bool preempted = state_.jobs.at(id.value).is_preempted();
    if (limit + over <= now || missed || preempted) due.push_back(id);
  }
  for (JobId job : due) {
    if (state_.jobs.at(job.value).is_preempted()) {
      end_preempted(job, now, out);
      continue;
    }
    const JobSpec& spec = *state_.jobs.at(job.value).spec;
    bool missed = spec.deadline && spec.deadline <= now;
    finish(job,
           {.state = missed ? JobState::Deadline : JobState::Timeout,
            .reason = missed ? Reason::DeadLine : Reason::TimeLimit,
            .exit = {.signal = 15},
            .grace = config_.kill_wait},
           now, out);
  }
}

// A pending job that could not end before its deadline any more is over, and so is one that was to
// start at once (--immediate) and has not.
void Controller::enforce_deadlines(Instant now, Outbox& out) {
  std::vector<JobId> missed;
  for (const auto& [latest, id] : indexes_.by_deadline()) {
    if (latest >= now) break;
    missed.push_back(id);
  }
  for (JobId id : missed) {
    const Job* job = state_.find(id);
    if (!job || job->state != JobState::Pending) continue;  // another component took it along
    std::uint32_t wait_s = job->spec->extras->specials->immediate_s;
    if (wait_s && now > job->submit + std::chrono::seconds(wait_s))
      finish(id, {.state = JobState::Cancelled, .by = job->spec->uid}, now, out);
    else
      finish(id, {.state = JobState::Deadline, .reason = Reason::DeadLine}, now, out);
  }
}

// srun --time within a job: SIGTERM, and SIGKILL after KillWait.
void Controller::enforce_step_limits(Instant now, Outbox& out) {
  for (const auto& [limit, id] : indexes_.by_step_limit()) {
    if (limit > now) return;
    const Job& job = state_.jobs.at(id.value);
    for (const Step& step : *job.steps) {
      if (!step.limit_end || step.limit_end > now) continue;
      auto [kill_at, first] =
          step_kill_at_.try_emplace({id, step.id}, step.limit_end + config_.kill_wait);
      bool kill = !first && now >= kill_at->second;
      if (!first && !kill) continue;
      if (kill) kill_at->second = now + config_.kill_wait + std::chrono::seconds(1);
      auto order = [&](std::uint16_t signal, KillCause cause) {
        for (NodeId node : step.nodes_left)
          out.orders.push_back({node, SignalJob{.job = id,
                                                .sluid = job.sluid,
                                                .signal = signal,
                                                .step = step.id,
                                                .cause = cause}});
      };
      if (kill) {
        order(kSigKill, KillCause::None);
      } else {
        order(kSigCont, KillCause::None);
        order(kSigTerm, KillCause::TimeLimit);
      }
    }
  }
}

// What was remembered of a job's limits.
void Controller::forget_limits(JobId job) {
  warned_.erase(job);
  auto first = step_kill_at_.lower_bound({job, StepId{0}});
  auto last = first;
  while (last != step_kill_at_.end() && last->first.first == job) ++last;
  step_kill_at_.erase(first, last);
}

}  // namespace ym
