// SPDX-License-Identifier: Apache-2.0
// `scontrol top`: a job before its owner's others, without a gain over anybody else's.
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"

namespace ym {

// The priorities of the owner's pending jobs in the partition stay what they are; the job gets the
// highest and those that were before it move down by one place. O(jobs).
Status Controller::top(const Job& job, Instant now, Outbox& out) {
  if (job.state != JobState::Pending) return refuse(Errc::JobNotPending);
  if (job.held()) return refuse(Errc::JobHeld);
  std::vector<const Job*> before;
  state_.jobs.for_each([&](std::uint64_t, const Job& other) {
    bool rival = other.state == JobState::Pending && other.spec->uid == job.spec->uid &&
                 other.spec->partitions == job.spec->partitions && !other.held() &&
                 other.priority > job.priority;
    if (rival) before.push_back(&other);
  });
  if (before.empty()) return {};
  std::ranges::sort(before, {}, [](const Job* one) { return std::pair(~one->priority, one->id); });
  std::vector<JobUpdated> changes;
  auto give = [&](const Job& to, std::uint32_t priority) {
    changes.push_back({.job = to.id,
                       .spec = to.spec,
                       .holds = to.holds,
                       .priority = priority,
                       .dependency = to.dependency,
                       .dependency_failed = to.dependency_failed,
                       .array_max_running = to.array_max_running,
                       .limit_end = to.limit_end});
  };
  give(job, before.front()->priority);
  for (std::size_t i = 0; i < before.size(); ++i)
    give(*before[i], i + 1 < before.size() ? before[i + 1]->priority : job.priority);
  for (JobUpdated& change : changes) emit(std::move(change), now, out);
  return {};
}

}  // namespace ym
