// SPDX-License-Identifier: Apache-2.0
// `scontrol update step`, and words for a job's standard error.
#include "controller/controller.h"
#include "model/errc.h"

namespace ym {
namespace {

// Until when the step may run. Never later than its job; `kNever` and none both mean the job's own.
Result<Instant> new_limit(const Job& job, const Step& step, const UpdateStep& update) {
  if (update.time_limit_change_s) {
    if (!step.limit_end || step.limit_end == kNever) return refuse(Errc::InvalidTimeLimit);
    Instant end = step.limit_end + std::chrono::seconds(*update.time_limit_change_s);
    if (end <= step.start) return refuse(Errc::InvalidTimeLimit);
    return end;
  }
  if (!update.time_limit_s || *update.time_limit_s == JobSpec::kUnlimited) return Instant{};
  Instant end = step.start + std::chrono::seconds(*update.time_limit_s);
  return job.limit_end && job.limit_end < end ? Instant{} : end;
}

}  // namespace

void Controller::update_step(RequestId request, const UpdateStep& update, const Caller& caller,
                             Instant now, Outbox& out) {
  const Job* job = state_.find(update.job);
  if (!job) return refuse_request(request, refuse(Errc::InvalidJobId).error(), out);
  if (!may_alter(*job, caller))
    return refuse_request(request, refuse(Errc::InvalidUserId).error(), out);
  std::vector<StepUpdated> changes;
  for (const Step& step : *job->steps) {
    if (update.step && step.id != *update.step) continue;
    auto limit = new_limit(*job, step, update);
    if (!limit) return refuse_request(request, limit.error(), out);
    changes.push_back({.job = job->id, .step = step.id, .limit_end = *limit});
  }
  if (changes.empty()) return refuse_request(request, refuse(Errc::InvalidStep).error(), out);
  for (const StepUpdated& change : changes) {
    step_kill_at_.erase({change.job, change.step});
    emit(change, now, out);
  }
  answer(request, Done{}, out);
}

// The batch script's node hears it; of an interactive job the shell knows the client.
Status Controller::notify(const Job& job, const std::string& text, Outbox& out) {
  constexpr std::size_t kNoticeMax = 4096;
  if (is_terminal(job.state)) return refuse(Errc::AlreadyDone);
  if (job.state == JobState::Pending && job.spec->batch) return refuse(Errc::JobPending);
  NodeId node = job.allocation->nodes.empty() ? NodeId{} : job.allocation->batch_share().node;
  out.orders.push_back(
      {node, NotifyJob{.job = job.id, .sluid = job.sluid, .text = text.substr(0, kNoticeMax)}});
  return {};
}

}  // namespace ym
