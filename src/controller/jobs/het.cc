// SPDX-License-Identifier: Apache-2.0
// Heterogeneous jobs: components that are admitted together, start together, and go back to the
// queue together. Each is a job with an id of its own; the first has the script or the client.
//
// Events are written one by one, and a crash may cut the last group of the log anywhere. Nothing of
// it was acknowledged or ordered then; mend_het_jobs() makes the components agree again. It relies
// on the first component's event being written before the others'.
#include <algorithm>

#include "controller/controller.h"
#include "model/apply.h"
#include "model/errc.h"
#include "schedule/het.h"

namespace ym {

Result<std::vector<JobSubmitted>> Controller::admit_all(const SubmitJob& submit,
                                                        const Caller& caller, Instant now) {
  std::vector<JobSubmitted> admitted;
  Result<JobSubmitted> first = admit(submit, caller, now);
  if (!first) return std::unexpected(first.error());
  admitted.push_back(std::move(*first));
  if (submit.het.empty()) return admitted;
  if (!submit.array.empty()) return refuse(Errc::BadJobArray);
  auto count = static_cast<std::uint32_t>(submit.het.size() + 1);
  if (count > kHetComponentsMax) return fail("Too many components of a heterogeneous job");
  if (state_.jobs.size() + count > config_.max_job_count) return refuse(Errc::QueueFull);
  for (const JobSpec& spec : submit.het) {
    SubmitJob part{.spec = spec,
                   .dependency = submit.dependency,
                   .priority = submit.priority,
                   .hold = submit.hold,
                   .test_only = submit.test_only};
    part.spec.batch = submit.spec.batch;
    part.spec.script_blob = submit.spec.script_blob;
    part.spec.environment_blob = submit.spec.environment_blob;
    Result<JobSubmitted> other = admit(part, caller, now);
    if (!other) return std::unexpected(other.error());
    admitted.push_back(std::move(*other));
  }
  JobId id = fresh_job_id(count);
  std::uint32_t priority = admitted.front().priority;
  for (std::uint32_t offset = 0; offset < count; ++offset) {
    JobSubmitted& one = admitted[offset];
    one.job = JobId{id.value + offset};
    one.priority = priority;
    one.het_job = id;
    one.het_offset = offset;
    one.het_count = count;
  }
  return admitted;
}

// Each is checked against the state in which those before it have started; if all pass, all start.
bool Controller::start_together(const Proposal& proposal, Instant now, Outbox& out) {
  std::vector<const Proposal*> parts{&proposal};
  for (const Proposal& other : proposal.others) parts.push_back(&other);
  const Job* leader = state_.find(proposal.job);
  if (!leader) return false;
  std::vector<const Job*> components = components_of(state_, *leader);
  bool same = std::ranges::equal(components, parts, {}, &Job::id, &Proposal::job);
  if (!same || !may_start(components)) return false;
  State draft = state_;
  std::vector<const Allocation*> held;
  for (const Proposal* part : parts) {
    if (!may_start_now(draft, *part, now, held)) return false;
    held.push_back(&part->allocation);
    apply(draft, Event{.seq = {draft.seq.value + 1},
                       .at = now,
                       .body = JobStarted{.job = part->job,
                                          .partition = part->partition,
                                          .allocation = Ref(part->allocation)}});
  }
  for (const Proposal* part : parts) start_one(*part, now, out);
  for (const Proposal* part : parts) begin_running(part->job, now, out);
  return true;
}

std::vector<JobId> Controller::ending_together(const Job& job, const Ending& ending) const {
  bool whole =
      job.het_job && (!job.is_later_component() || ending.requeue ||
                      ending.state == JobState::NodeFail || job.state == JobState::Pending);
  if (!whole) return {job.id};
  std::vector<JobId> ids;
  for (std::uint32_t offset = 0; offset < job.het_count; ++offset) {
    const Job* one = state_.find(JobId{job.het_job.value + offset});
    bool alive = one && one->het_job == job.het_job && !is_terminal(one->state);
    // One that waits has nothing to come back from.
    if (alive && !(ending.requeue && one->state == JobState::Pending)) ids.push_back(one->id);
  }
  return ids;
}

// A component that ended before the others comes back with them.
bool Controller::comes_back(const Job& job) const {
  if (job.requeue_wanted || !job.is_later_component()) return job.requeue_wanted;
  const Job* leader = state_.find(job.het_job);
  return leader && leader->state == JobState::Pending;
}

void Controller::bring_back_others(const Job& leader, Instant now, Outbox& out) {
  if (leader.het_job != leader.id || !leader.id) return;
  std::vector<JobId> ids;
  for (const Job* one : components_of(state_, leader))
    if (is_terminal(one->state) && !one->completing() && !one->epilog_due && !one->requeue_wanted)
      ids.push_back(one->id);
  Holds holds = leader.holds;
  for (JobId id : ids)
    emit(JobRequeued{.job = id, .sluid = next_sluid(state_, now), .begin = now, .holds = holds},
         now, out);
}

// Its record is needed as long as the first component's: the job may come back to the queue with
// all its components.
bool Controller::outlives_its_age(const Job& job) const {
  if (!job.is_later_component()) return false;
  const Job* leader = state_.find(job.het_job);
  return leader && leader->het_job == job.het_job;
}

// After a restart. Whatever the first component is, the others are to be.
void Controller::mend_het_jobs(Instant now, Outbox& out) {
  std::vector<JobId> leaders;
  state_.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.het_job == job.id && job.id) leaders.push_back(job.id);
  });
  for (JobId id : leaders) {
    const Job& leader = state_.jobs.at(id.value);
    std::vector<JobId> waiting, alive;
    std::uint32_t records = 0;
    for (std::uint32_t offset = 0; offset < leader.het_count; ++offset) {
      const Job* one = state_.find(JobId{id.value + offset});
      if (!one || one->het_job != id) continue;
      ++records;
      if (one->state == JobState::Pending) waiting.push_back(one->id);
      if (!is_terminal(one->state)) alive.push_back(one->id);
    }
    if (leader.state == JobState::Pending && records < leader.het_count) {
      finish(id, {.state = JobState::Cancelled}, now, out);  // its submission was not acknowledged
    } else if (leader.state == JobState::Pending) {
      bring_back_others(leader, now, out);
    } else if (!is_terminal(leader.state) && !waiting.empty()) {
      finish(id, {.state = JobState::Cancelled, .requeue = true}, now,
             out);  // nothing was launched
    } else if (is_terminal(leader.state)) {
      Ending ending{.state = leader.state,
                    .reason = leader.end_reason,
                    .exit = leader.exit,
                    .by = leader.killed_by,
                    .requeue = leader.requeue_wanted,
                    .grace = config_.kill_wait};
      for (JobId other : alive) {
        bool waits = state_.jobs.at(other.value).state == JobState::Pending;
        if (!(waits && ending.requeue)) finish_one(other, ending, now, out);
      }
    }
  }
}

// What may be done to a component. Slurm's rules.
Status Controller::het_allows(const Job& job, JobVerb verb, bool alone) {
  if (!job.is_later_component()) return {};
  if (verb == JobVerb::Cancel && job.state == JobState::Pending)
    return refuse(Errc::NotWholeHetJob);
  bool together = verb == JobVerb::Suspend || verb == JobVerb::Resume || verb == JobVerb::Requeue ||
                  verb == JobVerb::RequeueHold || verb == JobVerb::Top;
  if (together && alone) return refuse(Errc::NotHetLeader);
  return {};
}

}  // namespace ym
