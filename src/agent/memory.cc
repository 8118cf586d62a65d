// SPDX-License-Identifier: Apache-2.0
// A running attempt may use less memory from now on.
#include <algorithm>

#include "agent/agent.h"

namespace ym::agent {

void Agent::handle(const LimitMemory& order, Outbox& out) {
  auto found = attempts_.find(order.sluid);
  bool over =
      tombstones_.contains(order.sluid) || (found != attempts_.end() && found->second.killed);
  if (over || memory_limits_.size() >= kAttemptsMax) return;
  if (order.memory_mb) {
    std::uint64_t& limit = memory_limits_[order.sluid];
    limit = limit ? std::min(limit, order.memory_mb) : order.memory_mb;
  }
  std::vector<StepId> steps;
  if (found != attempts_.end()) steps = limited_steps(found->second);
  if (!steps.empty()) {
    out.push_back(
        Limit{.sluid = order.sluid, .memory_mb = order.memory_mb, .steps = std::move(steps)});
    return;
  }
  MemoryReport nothing{.job = order.job,
                       .sluid = order.sluid,
                       .asked_mb = order.memory_mb,
                       .limit_mb = order.memory_mb};
  out.push_back(Report{NodeReport{.memory = {nothing}}});
}

std::vector<StepId> Agent::limited_steps(const Attempt& attempt) const {
  std::vector<StepId> steps;
  for (const auto& [step, shepherd] : attempt.shepherds)
    if (shepherd.alive && !is_program(step)) steps.push_back(step);
  return steps;
}

void Agent::memory_told(Sluid sluid, std::uint64_t asked_mb, const std::vector<MemoryTold>& told,
                        Outbox& out) const {
  auto found = attempts_.find(sluid);
  if (found == attempts_.end() || found->second.killed) return;
  // One that has come meanwhile, or waits for the prolog, has an order with the former limit.
  for (StepId step : limited_steps(found->second))
    if (std::ranges::find(told, step, &MemoryTold::step) == told.end()) return;
  MemoryReport report{
      .job = found->second.job, .sluid = sluid, .asked_mb = asked_mb, .limit_mb = asked_mb};
  std::uint64_t sum = 0;
  for (const MemoryTold& one : told) {
    report.limit_mb = std::max(report.limit_mb, one.limit_mb);
    report.used_mb = std::max(report.used_mb, one.attempt_mb);
    sum += one.resident_mb;
  }
  if (report.used_mb == 0) report.used_mb = sum;
  out.push_back(Report{NodeReport{.memory = {report}}});
}

std::uint64_t Agent::memory_limit(Sluid sluid) const {
  auto found = memory_limits_.find(sluid);
  return found == memory_limits_.end() ? 0 : found->second;
}

}  // namespace ym::agent
