// SPDX-License-Identifier: Apache-2.0
#include "schedule/experience.h"

#include <algorithm>
#include <cmath>

namespace ym {
namespace {

constexpr double kKeep = 0.999;  // of what earlier jobs count, when one more has ended
constexpr double kHalfLife_ms = 180.0 * 86'400'000;

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

double Experience::longest_queue_s(double queue_s, Instant now) {
  if (now > seen_) {
    longest_s_ *= std::exp2(-static_cast<double>((now - seen_).count()) / kHalfLife_ms);
    seen_ = now;
  }
  longest_s_ = std::max(longest_s_, queue_s);
  return longest_s_;
}

}  // namespace ym
