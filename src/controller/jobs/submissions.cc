// SPDX-License-Identifier: Apache-2.0
#include "controller/jobs/submissions.h"

#include <algorithm>
#include <vector>

namespace ym {

void Submissions::rebuild(const State& state) {
  jobs_.clear();
  by_time_.clear();
  Instant newest;
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.submission) newest = std::max(newest, job.submit);
  });
  struct Found {
    Instant submit;
    JobId job;
    Key key;
  };
  std::vector<Found> found;
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (!job.submission || job.is_later_component() || newest - job.submit > kRemembered) return;
    if (job.array_job && job.array_job != job.id && state.find(job.array_job)) return;
    found.push_back(
        {job.submit, job.array_job ? job.array_job : job.id, {job.spec->uid, job.submission}});
  });
  std::ranges::sort(found, {}, [](const Found& one) { return std::pair(one.submit, one.job); });
  for (const Found& one : found) note(one.key.first, one.key.second, one.job, one.submit);
}

void Submissions::note(Uid uid, std::uint64_t submission, JobId job, Instant now) {
  if (submission == 0) return;
  while (!by_time_.empty() &&
         (now - by_time_.front().first > kRemembered || by_time_.size() >= kMost)) {
    jobs_.erase(by_time_.front().second);
    by_time_.pop_front();
  }
  Key key{uid, submission};
  if (jobs_.emplace(key, job).second) by_time_.emplace_back(now, key);
}

JobId Submissions::find(Uid uid, std::uint64_t submission) const {
  if (submission == 0) return {};
  auto at = jobs_.find({uid, submission});
  return at == jobs_.end() ? JobId{} : at->second;
}

}  // namespace ym
