// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "agent/agent.h"

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
std::vector<StepId> launched(const Outbox& out) {
  std::vector<StepId> steps;
  for (const Launch& one : all<Launch>(out)) steps.push_back(one.step);
  return steps;
}
AttemptReport last_attempt(const Outbox& out) {
  auto reports = all<Report>(out);
  if (reports.empty() || reports.back().report.attempts.empty()) return {};
  return reports.back().report.attempts.back();
}
LaunchJob order(Sluid sluid) { return {.job = kJob, .sluid = sluid}; }
KillJob kill(Sluid sluid) {
  return {.job = kJob, .sluid = sluid, .spec = Ref(JobSpec{.name = "j"})};
}
Ended exited(std::uint8_t code) {
  return {.exit = {.code = code, .signal = 0}, .error = code ? "it failed" : ""};
}
Agent with(const Around& around) {
  Agent agent;
  agent.set_around(around);
  return agent;
}
using Steps = std::vector<StepId>;

TEST(Prolog, ComesBeforeTheBatchScript) {
  Agent agent = with({.prolog = true});
  Outbox out;
  agent.handle(order(kA), out);
  EXPECT_EQ(launched(out), Steps{kPrologStep});
  EXPECT_EQ(all<Persist>(out).size(), 2u);
  EXPECT_FALSE(last_attempt(out).prepared);
  out.clear();
  agent.shepherd_ended(kA, kPrologStep, exited(0), out);
  EXPECT_EQ(launched(out), Steps{kBatchStep});
  EXPECT_TRUE(last_attempt(out).prepared);
  EXPECT_TRUE(all<Report>(out).back().report.ended_steps.empty());
}

TEST(Prolog, ThatFailsLetsNothingStartAndIsReportedUntilItIsForgotten) {
  Agent agent = with({.prolog = true});
  Outbox out;
  ASSERT_TRUE(agent.launch_step(kJob, kA, {0}, out));
  EXPECT_EQ(all<Persist>(out).front().sake, StepId{0});
  out.clear();
  agent.shepherd_ended(kA, kPrologStep, exited(1), out);
  EXPECT_TRUE(launched(out).empty());
  ASSERT_EQ(all<Refuse>(out).size(), 1u);
  EXPECT_EQ(all<Refuse>(out).front().error, "the prolog failed: it failed");
  for (int beat = 0; beat < 2; ++beat) {
    out.clear();
    agent.heartbeat(out);
    EXPECT_TRUE(last_attempt(out).prolog_failed);
    EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Clean);
  }
  EXPECT_FALSE(agent.launch_step(kJob, kA, {1}, out));
}

TEST(Prolog, OfAnAttemptThatIsKilledIsLetRunWithinTheGraceAndIsNoFailure) {
  Agent agent = with({.prolog = true});
  Outbox out;
  agent.handle(order(kA), out);
  out.clear();
  KillJob gentle = kill(kA);
  gentle.grace = std::chrono::seconds(10);
  agent.handle(gentle, kNow, out);
  EXPECT_TRUE(all<Signal>(out).empty());
  EXPECT_EQ(all<Refuse>(out).size(), 1u);  // the script
  agent.tick(kNow + std::chrono::seconds(11), out);
  ASSERT_EQ(all<Signal>(out).size(), 1u);
  EXPECT_EQ(all<Signal>(out).front().step, kPrologStep);
  out.clear();
  agent.shepherd_ended(kA, kPrologStep, {.exit = {.code = 0, .signal = 9}, .error = "killed"}, out);
  EXPECT_FALSE(last_attempt(out).prolog_failed);
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Clean);
}

TEST(Prolog, IsFoundAgainByARestartedDaemon) {
  Agent agent = with({.prolog = true});
  Outbox out;
  agent.recover({{kJob, kA, kPrologStep, Found::Alive, {}},
                 {kJob, kA, kBatchStep, Found::NeverStarted, {}},
                 {kJob, kB, kPrologStep, Found::Finished, {}},
                 {kJob, kB, kBatchStep, Found::NeverStarted, {}}},
                out);
  ASSERT_EQ(all<Launch>(out).size(), 1u);
  EXPECT_EQ(all<Launch>(out).front().sluid, kB);
  out.clear();
  agent.shepherd_ended(kA, kPrologStep, exited(0), out);
  EXPECT_EQ(launched(out), Steps{kBatchStep});
}

TEST(Prolog, ThatWasKilledBeforeARestartHasNotFailed) {
  const Ended killed{.exit = {.code = 0, .signal = 9}, .error = "p: killed", .on_order = true};
  for (bool alive : {false, true}) {
    Agent agent = with({.prolog = true});
    Outbox out;
    agent.recover({{kJob, kA, kPrologStep, alive ? Found::Alive : Found::Finished, killed},
                   {kJob, kA, kBatchStep, Found::NeverStarted, {}}},
                  out);
    if (alive) agent.shepherd_ended(kA, kPrologStep, killed, out);
    EXPECT_TRUE(all<Launch>(out).empty());
    out.clear();
    agent.connected(out);
    EXPECT_FALSE(last_attempt(out).prolog_failed) << alive;
    EXPECT_TRUE(last_attempt(out).batch_ended) << alive;
  }
}

TEST(Prolog, PreparesANodeThatRunsNoScript) {
  Agent agent = with({.prolog = true, .contain = true});
  LaunchJob prepare = order(kA);
  prepare.prepare_only = true;
  Outbox out;
  agent.handle(prepare, out);
  agent.handle(prepare, out);
  EXPECT_EQ(launched(out), Steps{kPrologStep});
  out.clear();
  agent.shepherd_ended(kA, kPrologStep, exited(0), out);
  EXPECT_EQ(launched(out), Steps{kExternStep});
  EXPECT_TRUE(last_attempt(out).prepared);
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Running);
  EXPECT_TRUE(agent.launch_step(kJob, kA, {0}, out));
}

TEST(Prolog, RunInJobWaitsForTheExternStep) {
  Agent agent = with({.prolog = true, .contain = true, .run_in_job = true});
  Outbox out;
  agent.handle(order(kA), out);
  EXPECT_EQ(launched(out), (Steps{kExternStep, kPrologStep}));
}

TEST(Prolog, SerialOnesWaitForEachOther) {
  Agent agent = with({.prolog = true, .epilog = true, .serial = true});
  Outbox out;
  agent.handle(order(kA), out);
  agent.handle(order(kB), out);
  EXPECT_EQ(all<Launch>(out).size(), 1u);
  out.clear();
  agent.shepherd_ended(kA, kPrologStep, exited(0), out);
  ASSERT_EQ(all<Launch>(out).size(), 2u);
  EXPECT_EQ(all<Launch>(out)[0].step, kBatchStep);
  EXPECT_EQ(all<Launch>(out)[1].sluid, kB);
  EXPECT_EQ(all<Launch>(out)[1].step, kPrologStep);
}

TEST(Epilog, RunsWhenNothingElseIsAliveAndBeforeTheAttemptIsClean) {
  Agent agent = with({.epilog = true});
  Outbox out;
  agent.handle(order(kA), out);
  ASSERT_TRUE(agent.launch_step(kJob, kA, {0}, out));
  out.clear();
  agent.shepherd_ended(kA, kBatchStep, exited(3), out);
  agent.handle(kill(kA), kNow, out);
  EXPECT_TRUE(launched(out).empty());
  agent.shepherd_ended(kA, {0}, exited(0), out);
  EXPECT_EQ(launched(out), Steps{kEpilogStep});
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Running);
  out.clear();
  agent.handle(kill(kA), kNow, out);  // repeated: the epilog is not killed
  EXPECT_TRUE(all<Signal>(out).empty());
  out.clear();
  agent.shepherd_ended(kA, kEpilogStep, exited(0), out);
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Clean);
  EXPECT_EQ(last_attempt(out).exit.code, 3);
  EXPECT_EQ(all<Report>(out).back().report.drain_reason, "");
}

TEST(Epilog, ThatFailsAsksForADrain) {
  Agent agent = with({.epilog = true});
  Outbox out;
  agent.handle(order(kA), out);
  agent.handle(kill(kA), kNow, out);
  agent.shepherd_ended(kA, kBatchStep, exited(0), out);
  out.clear();
  agent.shepherd_ended(kA, kEpilogStep, exited(1), out);
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Clean);
  EXPECT_EQ(all<Report>(out).back().report.drain_reason, "Epilog error");
}

TEST(Epilog, RunsOnceOnANodeThatSawNothingOfTheJob) {
  Agent agent = with({.epilog = true});
  Outbox out;
  agent.handle(kill(kA), kNow, out);
  EXPECT_EQ(launched(out), Steps{kEpilogStep});
  agent.shepherd_ended(kA, kEpilogStep, exited(0), out);
  agent.handle(ForgetAttempts{.attempts = {kA}}, out);
  out.clear();
  agent.handle(kill(kA), kNow, out);
  EXPECT_TRUE(launched(out).empty());
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Clean);
}

TEST(Extern, EndsWithTheJob) {
  Agent agent = with({.contain = true});
  Outbox out;
  agent.handle(order(kA), out);
  EXPECT_EQ(launched(out), (Steps{kExternStep, kBatchStep}));
  out.clear();
  agent.shepherd_ended(kA, kBatchStep, exited(0), out);
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Running);
  agent.handle(kill(kA), kNow, out);
  ASSERT_EQ(all<Signal>(out).size(), 1u);
  EXPECT_EQ(all<Signal>(out).front().step, kExternStep);
  out.clear();
  agent.shepherd_ended(kA, kExternStep, exited(0), out);
  EXPECT_EQ(last_attempt(out).phase, AttemptPhase::Clean);
}

}  // namespace
}  // namespace ym::agent
