// SPDX-License-Identifier: Apache-2.0
#include "schedule/experience.h"

#include <algorithm>

namespace ym {
namespace {

constexpr double kKeep = 0.999;  // of what earlier jobs count, when one more has ended
// Half of it is left after 180 days. Powers are multiplied out: a library's may differ from machine
// to machine in the last digit, and replays should not.
constexpr Duration kDay = std::chrono::days(1);
constexpr double kKeepADay = 0.996156;
constexpr std::int64_t kDaysMax = 20'000;

bool tells_something(JobState state) {
  return state == JobState::Completed || state == JobState::Failed || state == JobState::Timeout ||
         state == JobState::OutOfMemory;
}

}  // namespace

void Experience::learn(const Job& job, Instant end) {
  const JobSpec& spec = *job.spec;
  bool has_limit = spec.time_limit_s != 0 && spec.time_limit_s != JobSpec::kUnlimited;
  if (!has_limit || !tells_something(job.state) || job.start <= Instant{} || end < job.start)
    return;
  double limit_s = spec.time_limit_s;
  double run_s = std::min(static_cast<double>((end - job.start).count()) / 1000, limit_s);
  double cpus = std::max(spec.tasks, spec.min_nodes) * std::max(1u, spec.cpus_per_task);
  runs_ = runs_ * kKeep + run_s * cpus;
  limits_ = limits_ * kKeep + limit_s * cpus;
  auto at = users_.find(job.spec->uid);
  if (at == users_.end()) {
    if (users_.size() >= kUsersMax) return;
    at = users_.try_emplace(job.spec->uid).first;
  }
  Last& last = at->second;
  last.parts[last.count++ % last.parts.size()] = run_s / limit_s;
}

double Experience::accuracy_of(Uid user) const {
  auto at = users_.find(user);
  if (at == users_.end()) return accuracy();
  const Last& last = at->second;
  return last.count == 1 ? last.parts[0] : (last.parts[0] + last.parts[1]) / 2;
}

double Experience::longest_queue_s(PartitionId ground, double queue_s, Instant now) {
  Longest& one = longest_[ground];
  std::int64_t days = now > one.seen ? (now - one.seen) / kDay : 0;
  for (std::int64_t day = 0; day < std::min(days, kDaysMax); ++day) one.queue_s *= kKeepADay;
  one.seen = one.seen + kDay * days;
  one.queue_s = std::max(one.queue_s, queue_s);
  return one.queue_s;
}

}  // namespace ym
