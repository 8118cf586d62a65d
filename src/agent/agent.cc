// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ym::agent {
namespace {

constexpr std::uint16_t kSigKill = 9, kSigTerm = 15, kSigCont = 18;

bool has_failed(const auto& shepherd) {
  return !shepherd.alive && (!shepherd.ended.exit.ok() || !shepherd.ended.error.empty());
}

// The prolog has succeeded and the extern step is there, as far as the attempt has them.
bool is_prepared(const auto& shepherds) {
  auto prolog = shepherds.find(kPrologStep);
  auto outer = shepherds.find(kExternStep);
  bool ran = prolog == shepherds.end() || (!prolog->second.alive && !has_failed(prolog->second));
  return ran && (outer == shepherds.end() || !outer->second.waiting);
}

void add_drain_reason(StepId step, const auto& shepherd, NodeReport& report) {
  if (!shepherd.ended.drain_reason.empty()) report.drain_reason = shepherd.ended.drain_reason;
  if (step == kEpilogStep && has_failed(shepherd)) report.drain_reason = "Epilog error";
}

bool any_alive(const auto& shepherds) {
  return std::ranges::any_of(shepherds, [](const auto& entry) { return entry.second.alive; });
}

}  // namespace

void Agent::recover(const std::vector<Recovered>& found, Outbox& out) {
  YM_CHECK(attempts_.empty());
  for (const Recovered& one : found) {
    Attempt& attempt = attempts_[one.sluid];
    attempt.job = one.job;
    if (one.step == kBatchStep) attempt.batch = true;
    Shepherd& shepherd = attempt.shepherds[one.step];
    shepherd.alive = one.found == Found::Alive;
    shepherd.ended = one.ended;
    if (one.found == Found::Lost) {
      shepherd.ended = {.exit = {.code = 0, .signal = kSigKill}, .error = "shepherd lost"};
    }
    // An epilog may run again; a batch script and what is slurmd's own may if nothing of it has.
    bool again = one.found == Found::Lost && one.step == kEpilogStep;
    bool ours = one.step == kBatchStep || is_around(one.step);
    if (again || (one.found == Found::NeverStarted && ours)) {
      shepherd = {.waiting = true};
    } else if (one.found == Found::NeverStarted) {
      shepherd.ended = {.exit = {.code = 0, .signal = kSigKill},
                        .error = "slurmd restarted during the launch"};
    }
    if (one.step == kEpilogStep) attempt.killed = true;
    // One that was killed says nothing against the node: its job was ended. The controller knows.
    if (one.step == kPrologStep)
      attempt.prolog_failed = has_failed(shepherd) && !shepherd.ended.on_order;
  }
  for (auto& [sluid, attempt] : attempts_) advance(sluid, attempt, out);
}

void Agent::connected(Outbox& out) const {
  NodeReport report;
  report.complete = true;
  for (const auto& [sluid, attempt] : attempts_) {
    report.attempts.push_back(report_of(sluid, attempt));
    add_ended_steps(sluid, attempt, report);
  }
  out.push_back(Report{std::move(report)});
}

void Agent::heartbeat(Outbox& out) {
  NodeReport report;
  for (auto& [sluid, attempt] : attempts_) {
    AttemptReport one = report_of(sluid, attempt);
    // What came by srun has not been reported yet; nobody waits for that.
    bool news = !std::exchange(attempt.told, true) && !attempt.batch;
    if (one.phase == AttemptPhase::Clean || one.batch_ended || one.prolog_failed || one.suspended ||
        news)
      report.attempts.push_back(std::move(one));
    add_ended_steps(sluid, attempt, report);
  }
  out.push_back(Report{std::move(report)});
}

void Agent::tick(Instant now, Outbox& out) {
  for (auto& [sluid, attempt] : attempts_) {
    if (!attempt.killed || now < attempt.kill_at || !any_alive(attempt.shepherds)) continue;
    signal_attempt(sluid, attempt, kSigKill, out);
    attempt.kill_at = now + kKillAgain;
  }
}

void Agent::handle(const LaunchJob& order, Outbox& out) {
  if (tombstones_.contains(order.sluid)) {
    report_clean(order.job, order.sluid, !order.prepare_only,
                 "the attempt had ended before it was launched", out);
    return;
  }
  auto known = attempts_.find(order.sluid);
  if (known == attempts_.end() && attempts_.size() >= kAttemptsMax) {
    report_clean(order.job, order.sluid, !order.prepare_only, "too many jobs on this node", out);
    return;
  }
  bool repeated = known != attempts_.end() &&
                  (known->second.batch || known->second.killed || order.prepare_only);
  if (repeated) {
    report_attempt(order.sluid, out);  // The answer was lost.
    return;
  }
  // A step of the attempt may be here already: its srun was quicker than the controller.
  Attempt& attempt = attempts_[order.sluid];
  attempt.job = order.job;
  if (known == attempts_.end()) prepare(order.sluid, attempt, order, std::nullopt, out);
  if (!order.prepare_only) {
    attempt.batch = true;
    attempt.shepherds[kBatchStep] = {.waiting = true};
    out.push_back(
        Persist{.job = order.job, .sluid = order.sluid, .step = kBatchStep, .batch = order});
  }
  advance(order.sluid, attempt, out);
  report_attempt(order.sluid, out);
}

void Agent::handle(const KillJob& order, Instant now, Outbox& out) {
  auto found = attempts_.find(order.sluid);
  if (found == attempts_.end()) {
    // The epilog runs on every node of the job, whether or not something of it ran there.
    bool first_heard = around_.epilog && order.spec && !tombstones_.contains(order.sluid);
    if (!first_heard || attempts_.size() >= kAttemptsMax) {
      bury(order.sluid);
      report_clean(order.job, order.sluid, false, {}, out);
      return;
    }
    found = attempts_.emplace(order.sluid, Attempt{.job = order.job}).first;
  }
  Attempt& attempt = found->second;
  if (order.spec || !attempt.kill) attempt.kill = order;
  Instant kill_at = now + std::max(order.grace, Duration(0));
  bool first = !attempt.killed;
  attempt.kill_at = first ? kill_at : std::min(attempt.kill_at, kill_at);
  attempt.killed = true;
  advance(order.sluid, attempt, out);
  if (!any_alive(attempt.shepherds)) {
    report_attempt(order.sluid, out);
    return;
  }
  if (std::exchange(attempt.suspended, false)) freeze_attempt(order.sluid, attempt, out);
  if (attempt.kill_at > now && first) {
    signal_attempt(order.sluid, attempt, kSigCont, out);
    signal_attempt(order.sluid, attempt, kSigTerm, out, order.cause);
  }
  if (attempt.kill_at <= now) {
    signal_attempt(order.sluid, attempt, kSigKill, out, first ? order.cause : KillCause::None);
    attempt.kill_at = now + kKillAgain;
  }
}

void Agent::handle(const SignalJob& order, Outbox& out) {
  auto found = attempts_.find(order.sluid);
  if (found == attempts_.end() || order.signal == 0) return;
  for (const auto& [step, shepherd] : found->second.shepherds) {
    if (!shepherd.alive || shepherd.waiting || is_around(step)) continue;
    bool is_batch = step == kBatchStep;
    bool wanted = order.step         ? step == *order.step
                  : order.batch_only ? is_batch
                  : order.whole_job  ? true
                                     : !is_batch;
    if (!wanted) continue;
    // The batch shell gets a signal by itself unless the whole job was meant.
    bool leaders = is_batch && !order.whole_job;
    out.push_back(Signal{.sluid = order.sluid,
                         .step = step,
                         .signal = order.signal,
                         .scope = leaders ? SignalScope::Leaders : SignalScope::Everything,
                         .job = order.job,
                         .cause = order.cause});
  }
}

void Agent::handle(const ForgetAttempts& order, Outbox& out) {
  for (const StepReport& step : order.steps) forget_step(step, out);
  for (Sluid sluid : order.attempts) forget_attempt(sluid, out);
}

bool Agent::revoked(Sluid sluid) const {
  auto found = attempts_.find(sluid);
  return tombstones_.contains(sluid) || (found != attempts_.end() && found->second.killed);
}

Status Agent::launch_step(JobId job, Sluid sluid, StepId step, Outbox& out) {
  YM_CHECK(step != kBatchStep);
  if (tombstones_.contains(sluid)) return fail("Job credential revoked");
  auto found = attempts_.find(sluid);
  if (found == attempts_.end() && attempts_.size() >= kAttemptsMax)
    return fail("too many jobs on this node");
  if (found != attempts_.end()) {
    const Attempt& known = found->second;
    // Once it was reported Clean the controller may have given its resources to others.
    bool over = known.killed || report_of(sluid, known).phase == AttemptPhase::Clean;
    if (over) return fail("Job credential revoked");
    if (report_of(sluid, known).prolog_failed) return fail("the prolog failed on this node");
    if (known.shepherds.contains(step) || known.forgotten.contains(step)) {
      return fail("Job credential replayed: this step has already been launched here");
    }
    if (known.shepherds.size() + known.forgotten.size() >= kStepsMax)
      return fail("too many steps of this job on this node");
  }
  Attempt& attempt = attempts_[sluid];
  attempt.job = job;
  if (found == attempts_.end()) prepare(sluid, attempt, std::nullopt, step, out);
  attempt.shepherds[step] = {.waiting = true};
  out.push_back(Persist{.job = job, .sluid = sluid, .step = step});
  advance(sluid, attempt, out);
  report_attempt(sluid, out);
  return {};
}

void Agent::shepherd_ended(Sluid sluid, StepId step, const Ended& ended, Outbox& out) {
  auto found = attempts_.find(sluid);
  if (found == attempts_.end()) return;
  auto shepherd = found->second.shepherds.find(step);
  if (shepherd == found->second.shepherds.end() || !shepherd->second.alive) return;
  shepherd->second.alive = false;
  shepherd->second.ended = ended;
  if (step == kPrologStep && !found->second.killed && !ended.on_order)
    found->second.prolog_failed = has_failed(shepherd->second);
  advance(sluid, found->second, out);
  if (around_.serial && is_program(step)) advance_queue(out);
  report_attempt(sluid, out);
}

bool Agent::alive(Sluid sluid, StepId step) const {
  auto attempt = attempts_.find(sluid);
  if (attempt == attempts_.end()) return false;
  auto shepherd = attempt->second.shepherds.find(step);
  return shepherd != attempt->second.shepherds.end() && shepherd->second.alive;
}

bool Agent::attempt_over(Sluid sluid) const {
  auto attempt = attempts_.find(sluid);
  return attempt == attempts_.end() ||
         report_of(sluid, attempt->second).phase == AttemptPhase::Clean;
}

std::optional<Sluid> Agent::running_attempt(JobId job, StepId step) const {
  for (const auto& [sluid, attempt] : attempts_) {
    if (attempt.job == job && alive(sluid, step)) return sluid;
  }
  return std::nullopt;
}

std::vector<Agent::Alive> Agent::alive_steps(std::optional<JobId> job,
                                             std::optional<StepId> step) const {
  std::vector<Alive> found;
  for (const auto& [sluid, attempt] : attempts_) {
    if (job && attempt.job != *job) continue;
    for (const auto& [id, shepherd] : attempt.shepherds)
      if (shepherd.alive && (!step || id == *step)) found.push_back({attempt.job, sluid, id});
  }
  return found;
}

AttemptReport Agent::report_of(Sluid sluid, const Attempt& attempt) const {
  AttemptReport report{
      .job = attempt.job, .sluid = sluid, .batch = attempt.batch, .suspended = attempt.suspended};
  auto batch = attempt.shepherds.find(kBatchStep);
  if (batch != attempt.shepherds.end() && !batch->second.alive) {
    report.batch_ended = true;
    report.exit = batch->second.ended.exit;
    report.error = batch->second.ended.error;
    report.launch_failed = batch->second.ended.launch_failed;
    report.out_of_memory = batch->second.ended.out_of_memory;
    report.usage = batch->second.ended.usage;
  }
  auto prolog = attempt.shepherds.find(kPrologStep);
  if (attempt.prolog_failed && prolog != attempt.shepherds.end()) {
    report.prolog_failed = true;
    report.batch_ended = false;
    report.error = prolog->second.ended.error;
  }
  report.prepared = is_prepared(attempt.shepherds);
  // Between two steps of an interactive job nothing is alive here, yet the attempt goes on.
  bool over = report.batch_ended || report.prolog_failed || attempt.killed;
  if (over && !any_alive(attempt.shepherds) && !wants_epilog(attempt))
    report.phase = AttemptPhase::Clean;
  return report;
}

void Agent::add_ended_steps(Sluid sluid, const Attempt& attempt, NodeReport& report) {
  for (const auto& [step, shepherd] : attempt.shepherds) {
    if (!shepherd.alive) add_drain_reason(step, shepherd, report);
    if (shepherd.alive || step == kBatchStep || is_around(step)) continue;
    report.ended_steps.push_back({.job = attempt.job,
                                  .sluid = sluid,
                                  .step = step,
                                  .exit = shepherd.ended.exit,
                                  .usage = shepherd.ended.usage,
                                  .out_of_memory = shepherd.ended.out_of_memory});
  }
}

void Agent::report_attempt(Sluid sluid, Outbox& out) const {
  const Attempt& attempt = attempts_.at(sluid);
  NodeReport report;
  report.attempts.push_back(report_of(sluid, attempt));
  add_ended_steps(sluid, attempt, report);
  out.push_back(Report{std::move(report)});
}

void Agent::report_clean(JobId job, Sluid sluid, bool batch, std::string error, Outbox& out) const {
  NodeReport report;
  report.attempts.push_back({.job = job,
                             .sluid = sluid,
                             .phase = AttemptPhase::Clean,
                             .batch = batch,
                             .error = std::move(error)});
  out.push_back(Report{std::move(report)});
}

void Agent::signal_attempt(Sluid sluid, const Attempt& attempt, std::uint16_t signal, Outbox& out,
                           KillCause cause) const {
  for (const auto& [step, shepherd] : attempt.shepherds) {
    if (!shepherd.alive || shepherd.waiting || step == kEpilogStep) continue;
    // A prolog is let run to its end, within the grace of the job.
    if (step == kPrologStep && signal != kSigKill) continue;
    out.push_back(
        Signal{.sluid = sluid, .step = step, .signal = signal, .job = attempt.job, .cause = cause});
  }
}

void Agent::bury(Sluid sluid) {
  memory_limits_.erase(sluid);
  if (!tombstones_.insert(sluid).second) return;
  buried_.push_back(sluid);
  if (buried_.size() <= kTombstonesMax) return;
  tombstones_.erase(buried_.front());
  buried_.pop_front();
}

void Agent::forget_attempt(Sluid sluid, Outbox& out) {
  auto found = attempts_.find(sluid);
  if (found == attempts_.end()) return;
  if (report_of(sluid, found->second).phase != AttemptPhase::Clean)
    return;  // The controller is behind.
  attempts_.erase(found);
  bury(sluid);
  out.push_back(Forget{.sluid = sluid, .step = std::nullopt});
}

void Agent::forget_step(const StepReport& step, Outbox& out) {
  auto found = attempts_.find(step.sluid);
  if (found == attempts_.end() || step.step == kBatchStep) return;
  Attempt& attempt = found->second;
  auto shepherd = attempt.shepherds.find(step.step);
  if (shepherd == attempt.shepherds.end() || shepherd->second.alive) return;
  attempt.shepherds.erase(shepherd);
  attempt.forgotten.insert(step.step);
  out.push_back(Forget{.sluid = step.sluid, .step = step.step});
}

}  // namespace ym::agent
