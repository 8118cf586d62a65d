// SPDX-License-Identifier: Apache-2.0
// What runs around an attempt: the prolog before everything else, the extern step beside it, the
// epilog when it is over.
#include <algorithm>

#include "agent/agent.h"

namespace ym::agent {
namespace {

constexpr std::uint8_t kSigTerm = 15;

}  // namespace

// The first that is heard of an attempt.
void Agent::prepare(Sluid sluid, Attempt& attempt, const std::optional<LaunchJob>& order,
                    std::optional<StepId> sake, Outbox& out) {
  auto add = [&](StepId step) {
    attempt.shepherds[step] = {.waiting = true};
    out.push_back(
        Persist{.job = attempt.job, .sluid = sluid, .step = step, .batch = order, .sake = sake});
  };
  if (around_.prolog) add(kPrologStep);
  if (around_.contain) add(kExternStep);
}

bool Agent::program_running() const {
  auto runs = [](const auto& entry) {
    return is_program(entry.first) && entry.second.alive && !entry.second.waiting;
  };
  return std::ranges::any_of(attempts_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.shepherds, runs);
  });
}

bool Agent::may_launch(const Attempt& attempt, StepId step) const {
  auto waits = [&](StepId other) {
    auto at = attempt.shepherds.find(other);
    return at != attempt.shepherds.end() && at->second.waiting;
  };
  auto lives = [&](StepId other) {
    auto at = attempt.shepherds.find(other);
    return at != attempt.shepherds.end() && at->second.alive;
  };
  if (is_program(step) && around_.serial && program_running()) return false;
  if (step == kEpilogStep) return true;
  if (step == kPrologStep) return !around_.run_in_job || !waits(kExternStep);
  if (step == kExternStep && around_.run_in_job) return true;
  return !lives(kPrologStep);
}

bool Agent::wants_epilog(const Attempt& attempt) const {
  return around_.epilog && !attempt.shepherds.contains(kEpilogStep);
}

void Agent::end_waiting(Sluid sluid, Attempt& attempt, const Ended& ended, Outbox& out) {
  for (auto& [step, shepherd] : attempt.shepherds) {
    if (!shepherd.waiting || step == kEpilogStep) continue;
    shepherd = {.alive = false, .ended = ended};
    out.push_back(Refuse{.sluid = sluid, .step = step, .exit = ended.exit, .error = ended.error});
  }
}

void Agent::advance(Sluid sluid, Attempt& attempt, Outbox& out) {
  auto prolog = attempt.shepherds.find(kPrologStep);
  if (attempt.killed) {
    end_waiting(sluid, attempt, {.exit = {.code = 0, .signal = kSigTerm}, .error = {}}, out);
  } else if (prolog != attempt.shepherds.end() && !prolog->second.alive) {
    const Ended& ended = prolog->second.ended;
    if (!ended.exit.ok() || !ended.error.empty())
      end_waiting(sluid, attempt,
                  {.exit = {.code = 1, .signal = 0}, .error = "the prolog failed: " + ended.error},
                  out);
  }
  bool quiet =
      std::ranges::none_of(attempt.shepherds, [](const auto& entry) { return entry.second.alive; });
  if (attempt.killed && quiet && wants_epilog(attempt)) {
    attempt.shepherds[kEpilogStep] = {.waiting = true};
    KillJob kill = attempt.kill.value_or(KillJob{.job = attempt.job, .sluid = sluid});
    out.push_back(
        Persist{.job = attempt.job, .sluid = sluid, .step = kEpilogStep, .kill = std::move(kill)});
  }
  // These two in their order; the map has its own.
  for (StepId first : {kExternStep, kPrologStep}) {
    auto at = attempt.shepherds.find(first);
    if (at == attempt.shepherds.end() || !at->second.waiting || !may_launch(attempt, first))
      continue;
    at->second.waiting = false;
    out.push_back(Launch{.job = attempt.job, .sluid = sluid, .step = first});
  }
  for (auto& [step, shepherd] : attempt.shepherds) {
    if (!shepherd.waiting || !may_launch(attempt, step)) continue;
    shepherd.waiting = false;
    out.push_back(Launch{.job = attempt.job, .sluid = sluid, .step = step});
    if (attempt.suspended) out.push_back(Freeze{.sluid = sluid, .step = step});
  }
}

// Another attempt's prolog or epilog has its turn: the oldest first.
void Agent::advance_queue(Outbox& out) {
  for (auto& [sluid, attempt] : attempts_) advance(sluid, attempt, out);
}

}  // namespace ym::agent
