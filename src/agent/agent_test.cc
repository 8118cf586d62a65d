// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym::agent {
namespace {

constexpr Sluid kA{100}, kB{200};
constexpr JobId kJob{7};
constexpr Instant kNow{1'000'000};

template <class T>
std::vector<T> all(const Outbox& out) {
  std::vector<T> found;
  for (const Effect& effect : out) {
    if (const T* one = std::get_if<T>(&effect)) found.push_back(*one);
  }
  return found;
}
// The only report of the outbox.
NodeReport report_in(const Outbox& out) {
  auto reports = all<Report>(out);
  EXPECT_EQ(reports.size(), 1u);
  return reports.empty() ? NodeReport{} : reports.front().report;
}
AttemptReport attempt_in(const Outbox& out) {
  NodeReport report = report_in(out);
  EXPECT_EQ(report.attempts.size(), 1u);
  return report.attempts.empty() ? AttemptReport{} : report.attempts.front();
}
LaunchJob order(Sluid sluid) { return {.job = kJob, .sluid = sluid, .script = "#!/bin/sh\n"}; }
Ended exited(std::uint8_t code) { return {.exit = {.code = code, .signal = 0}, .error = {}}; }

Agent with_batch(Sluid sluid) {
  Agent agent;
  Outbox out;
  agent.handle(order(sluid), out);
  return agent;
}

TEST(Agent, PersistsBeforeItLaunchesAndReportsAfter) {
  Agent agent;
  Outbox out;
  agent.handle(order(kA), out);
  ASSERT_EQ(out.size(), 3u);
  ASSERT_TRUE(std::holds_alternative<Persist>(out[0]));
  EXPECT_EQ(std::get<Persist>(out[0]).batch->script, "#!/bin/sh\n");
  ASSERT_TRUE(std::holds_alternative<Launch>(out[1]));
  AttemptReport report = attempt_in(out);
  EXPECT_EQ(report.phase, AttemptPhase::Running);
  EXPECT_TRUE(report.batch);
  EXPECT_FALSE(report.batch_ended);
}

TEST(Agent, ASecondOrderForTheSameAttemptOnlyRepeatsTheReport) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.handle(order(kA), out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(attempt_in(out).phase, AttemptPhase::Running);
}

TEST(Agent, AnEndedAttemptIsReportedUntilItIsForgotten) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.shepherd_ended(kA, kBatchStep, exited(3), out);
  EXPECT_EQ(attempt_in(out).phase, AttemptPhase::Clean);
  EXPECT_EQ(attempt_in(out).exit.code, 3);
  for (int beat = 0; beat < 3; ++beat) {
    Outbox again;
    agent.heartbeat(again);
    EXPECT_EQ(attempt_in(again).phase, AttemptPhase::Clean);
  }
  Outbox complete;
  agent.connected(complete);
  EXPECT_TRUE(report_in(complete).complete);
  EXPECT_EQ(attempt_in(complete).exit.code, 3);

  Outbox forget;
  agent.handle(ForgetAttempts{.attempts = {kA}}, forget);
  ASSERT_EQ(forget.size(), 1u);
  EXPECT_EQ(std::get<Forget>(forget[0]).sluid, kA);
  Outbox after;
  agent.heartbeat(after);
  EXPECT_TRUE(report_in(after).attempts.empty());
}

TEST(Agent, AForgottenAttemptIsNotLaunchedAgain) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.shepherd_ended(kA, kBatchStep, exited(0), out);
  agent.handle(ForgetAttempts{.attempts = {kA}}, out);
  Outbox again;
  agent.handle(order(kA), again);
  EXPECT_TRUE(all<Launch>(again).empty());
  EXPECT_EQ(attempt_in(again).phase, AttemptPhase::Clean);
}

TEST(Agent, ALivingAttemptIsNotForgotten) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.handle(ForgetAttempts{.attempts = {kA}}, out);
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(agent.alive(kA, kBatchStep));
}

TEST(Agent, KillingSendsTermThenKillWhenGraceIsOver) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.handle(KillJob{.job = kJob, .sluid = kA, .grace = std::chrono::seconds(30)}, kNow, out);
  auto signals = all<Signal>(out);
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].signal, 18);
  EXPECT_EQ(signals[1].signal, 15);
  Outbox early;
  agent.tick(kNow + std::chrono::seconds(29), early);
  EXPECT_TRUE(early.empty());
  Outbox late;
  agent.tick(kNow + std::chrono::seconds(30), late);
  ASSERT_EQ(all<Signal>(late).size(), 1u);
  EXPECT_EQ(all<Signal>(late)[0].signal, 9);
  Outbox repeated;
  agent.tick(kNow + std::chrono::seconds(40), repeated);
  EXPECT_EQ(all<Signal>(repeated).size(), 1u);
  Outbox ended;
  agent.shepherd_ended(kA, kBatchStep, {.exit = {.code = 0, .signal = 15}, .error = {}}, ended);
  EXPECT_EQ(attempt_in(ended).phase, AttemptPhase::Clean);
  EXPECT_EQ(attempt_in(ended).exit.signal, 15);
}

TEST(Agent, ARepeatedKillNeverGivesMoreTimeAndMayGiveLess) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.handle(KillJob{.job = kJob, .sluid = kA, .grace = std::chrono::seconds(30)}, kNow, out);
  Outbox longer;
  agent.handle(KillJob{.job = kJob, .sluid = kA, .grace = std::chrono::seconds(90)}, kNow, longer);
  EXPECT_TRUE(longer.empty());
  Outbox shorter;
  agent.handle(KillJob{.job = kJob, .sluid = kA, .grace = Duration(0)}, kNow, shorter);
  ASSERT_EQ(all<Signal>(shorter).size(), 1u);
  EXPECT_EQ(all<Signal>(shorter)[0].signal, 9);
}

TEST(Agent, AnUnknownAttemptIsCleanAtOnceAndStaysDead) {
  Agent agent;
  Outbox out;
  agent.handle(KillJob{.job = kJob, .sluid = kA}, kNow, out);
  EXPECT_EQ(attempt_in(out).phase, AttemptPhase::Clean);
  Outbox late;
  agent.handle(order(kA), late);
  EXPECT_TRUE(all<Launch>(late).empty());
  EXPECT_EQ(attempt_in(late).phase, AttemptPhase::Clean);
  EXPECT_FALSE(agent.launch_step(kJob, kA, StepId{0}, late));
}

TEST(Agent, AnAttemptWithALivingStepIsNotCleanAlthoughItsScriptHasEnded) {
  Agent agent = with_batch(kA);
  Outbox out;
  ASSERT_TRUE(agent.launch_step(kJob, kA, StepId{0}, out));
  Outbox ended;
  agent.shepherd_ended(kA, kBatchStep, exited(0), ended);
  EXPECT_TRUE(attempt_in(ended).batch_ended);
  EXPECT_EQ(attempt_in(ended).phase, AttemptPhase::Running);
  Outbox step;
  agent.shepherd_ended(kA, StepId{0}, exited(1), step);
  EXPECT_EQ(attempt_in(step).phase, AttemptPhase::Clean);
  ASSERT_EQ(report_in(step).ended_steps.size(), 1u);
  EXPECT_EQ(report_in(step).ended_steps[0].exit.code, 1);
}

TEST(Agent, AStepWithoutAScriptRegistersItsAttempt) {
  Agent agent;
  Outbox out;
  ASSERT_TRUE(agent.launch_step(kJob, kA, StepId{0}, out));
  EXPECT_TRUE(std::holds_alternative<Persist>(out[0]));
  EXPECT_TRUE(std::holds_alternative<Launch>(out[1]));
  EXPECT_EQ(attempt_in(out).phase, AttemptPhase::Running);
  EXPECT_FALSE(attempt_in(out).batch);
  Outbox ended;
  agent.shepherd_ended(kA, StepId{0}, exited(0), ended);
  EXPECT_EQ(attempt_in(ended).phase, AttemptPhase::Running);  // The allocation lives on.
  Outbox killed;
  agent.handle(KillJob{.job = kJob, .sluid = kA}, kNow, killed);
  EXPECT_EQ(attempt_in(killed).phase, AttemptPhase::Clean);
}

TEST(Agent, ACredentialServesOnceEvenAfterTheStepIsForgotten) {
  Agent agent;
  Outbox out;
  ASSERT_TRUE(agent.launch_step(kJob, kA, StepId{0}, out));
  EXPECT_FALSE(agent.launch_step(kJob, kA, StepId{0}, out));
  agent.shepherd_ended(kA, StepId{0}, exited(0), out);
  agent.handle(ForgetAttempts{.steps = {{.job = kJob, .sluid = kA, .step = StepId{0}}}}, out);
  EXPECT_FALSE(agent.launch_step(kJob, kA, StepId{0}, out));
  EXPECT_TRUE(agent.launch_step(kJob, kA, StepId{1}, out));
}

TEST(Agent, AnAttemptBeingKilledStartsNothingMore) {
  Agent agent = with_batch(kA);
  Outbox out;
  agent.handle(KillJob{.job = kJob, .sluid = kA, .grace = std::chrono::seconds(9)}, kNow, out);
  EXPECT_FALSE(agent.launch_step(kJob, kA, StepId{0}, out));
}

std::vector<Signal> signals_for(SignalJob signal) {
  Agent agent = with_batch(kA);
  Outbox out;
  EXPECT_TRUE(agent.launch_step(kJob, kA, StepId{0}, out));
  EXPECT_TRUE(agent.launch_step(kJob, kA, StepId{1}, out));
  Outbox signalled;
  signal.job = kJob;
  signal.sluid = kA;
  agent.handle(signal, signalled);
  return all<Signal>(signalled);
}

TEST(Agent, APlainSignalReachesTheStepsButNotTheBatchShell) {
  auto signals = signals_for({.signal = 10});
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].step, StepId{0});
  EXPECT_EQ(signals[1].step, StepId{1});
}

TEST(Agent, ASignalForTheBatchShellReachesNothingElse) {
  auto signals = signals_for({.signal = 10, .batch_only = true});
  ASSERT_EQ(signals.size(), 1u);
  EXPECT_EQ(signals[0].step, kBatchStep);
  EXPECT_EQ(signals[0].scope, SignalScope::Leaders);
}

TEST(Agent, ASignalForTheWholeJobReachesEverything) {
  auto signals = signals_for({.signal = 10, .whole_job = true});
  ASSERT_EQ(signals.size(), 3u);
  for (const Signal& signal : signals) EXPECT_EQ(signal.scope, SignalScope::Everything);
}

TEST(Agent, ASignalForOneStepReachesThatStep) {
  auto signals = signals_for({.signal = 10, .step = StepId{1}});
  ASSERT_EQ(signals.size(), 1u);
  EXPECT_EQ(signals[0].step, StepId{1});
}

TEST(Agent, RecoveryKeepsTheLivingRelaunchesTheUnstartedAndReportsTheLost) {
  Agent agent;
  Outbox out;
  agent.recover(
      {{.job = kJob, .sluid = kA, .step = kBatchStep, .found = Found::Alive},
       {.job = kJob, .sluid = kB, .step = kBatchStep, .found = Found::NeverStarted},
       {.job = kJob, .sluid = Sluid{300}, .step = kBatchStep, .found = Found::Lost},
       {.job = kJob,
        .sluid = Sluid{400},
        .step = kBatchStep,
        .found = Found::Finished,
        .ended = exited(5)},
       {.job = kJob, .sluid = Sluid{400}, .step = StepId{0}, .found = Found::NeverStarted}},
      out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<Launch>(out[0]).sluid, kB);
  EXPECT_TRUE(agent.alive(kA, kBatchStep));
  Outbox complete;
  agent.connected(complete);
  NodeReport report = report_in(complete);
  ASSERT_EQ(report.attempts.size(), 4u);
  EXPECT_EQ(report.attempts[0].phase, AttemptPhase::Running);
  EXPECT_EQ(report.attempts[1].phase, AttemptPhase::Running);
  EXPECT_EQ(report.attempts[2].error, "shepherd lost");
  EXPECT_EQ(report.attempts[2].exit.signal, 9);
  EXPECT_EQ(report.attempts[3].exit.code, 5);
  ASSERT_EQ(report.ended_steps.size(), 1u);
  EXPECT_EQ(report.ended_steps[0].exit.signal, 9);
}

TEST(Agent, TombstonesAreBounded) {
  Agent agent;
  Outbox out;
  for (std::uint64_t n = 1; n <= kTombstonesMax + 1; ++n)
    agent.handle(KillJob{.job = kJob, .sluid = Sluid{n}}, kNow, out);
  Outbox newest;
  agent.handle(order(Sluid{kTombstonesMax + 1}), newest);
  EXPECT_TRUE(all<Launch>(newest).empty());
  Outbox oldest;
  agent.handle(order(Sluid{1}), oldest);
  EXPECT_EQ(all<Launch>(oldest).size(), 1u);
}

// Any sequence of events: nothing is launched twice, nothing that ended is left out of a report
// before the controller has confirmed it, and Clean is never said of something alive.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : chance_(seed) {}
  void step() {
    Outbox out;
    Sluid sluid{1 + chance_.below(5)};
    StepId step{static_cast<std::uint32_t>(chance_.below(3))};
    now_ = now_ + Duration(chance_.between(0, 3000));
    switch (chance_.below(8)) {
      case 0:
      case 1: agent_.handle(order(sluid), out); break;
      case 2: (void)agent_.launch_step(kJob, sluid, step, out); break;
      case 3: end_one(out); break;
      case 4:
        agent_.handle(
            KillJob{.job = kJob, .sluid = sluid, .grace = Duration(chance_.between(0, 5000))}, now_,
            out);
        break;
      case 5: agent_.handle(ForgetAttempts{.attempts = {sluid}}, out); break;
      case 6:
        agent_.handle(ForgetAttempts{.steps = {{.job = kJob, .sluid = sluid, .step = step}}}, out);
        break;
      default: agent_.tick(now_, out);
    }
    obey(out);
    check_reports();
  }

 private:
  using Key = std::pair<Sluid, StepId>;
  void end_one(Outbox& out) {
    if (alive_.empty()) return;
    auto one = alive_.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(chance_.below(alive_.size())));
    Key key = *one;
    alive_.erase(one);
    ended_.insert(key);
    agent_.shepherd_ended(key.first, key.second, exited(0), out);
  }
  void obey(const Outbox& out) {
    for (const Effect& effect : out) {
      if (auto* persist = std::get_if<Persist>(&effect))
        persisted_.insert({persist->sluid, persist->step});
      if (auto* launch = std::get_if<Launch>(&effect)) {
        Key key{launch->sluid, launch->step};
        EXPECT_TRUE(persisted_.contains(key));
        EXPECT_TRUE(launched_.insert(key).second) << "launched twice";
        alive_.insert(key);
      }
      if (auto* signal = std::get_if<Signal>(&effect))
        EXPECT_TRUE(alive_.contains({signal->sluid, signal->step}));
      if (auto* forget = std::get_if<Forget>(&effect)) {
        std::erase_if(ended_, [&](const Key& key) {
          return key.first == forget->sluid && (!forget->step || *forget->step == key.second);
        });
      }
      if (auto* report = std::get_if<Report>(&effect)) {
        for (const AttemptReport& one : report->report.attempts) {
          if (one.phase != AttemptPhase::Clean) continue;
          for (const Key& key : alive_) EXPECT_NE(key.first, one.sluid) << "clean, yet alive";
        }
      }
    }
  }
  void check_reports() {
    Outbox out;
    agent_.heartbeat(out);
    NodeReport report = report_in(out);
    for (const auto& [sluid, step] : ended_) {
      bool told = false;
      if (step == kBatchStep) {
        for (const AttemptReport& one : report.attempts)
          told |= one.sluid == sluid && one.batch_ended;
      } else {
        for (const StepReport& one : report.ended_steps)
          told |= one.sluid == sluid && one.step == step;
      }
      EXPECT_TRUE(told);
    }
  }

  Prng chance_;
  Agent agent_;
  Instant now_ = kNow;
  std::set<Key> persisted_, launched_, alive_, ended_;
};

TEST(Agent, HoldsItsPromisesInRandomRuns) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomRun run(seed);
    for (int n = 0; n < 200 && !::testing::Test::HasFailure(); ++n) run.step();
  }
}

}  // namespace
}  // namespace ym::agent
