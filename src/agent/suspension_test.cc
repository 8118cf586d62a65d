// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <algorithm>

#include "agent/agent.h"

namespace ym::agent {
namespace {

constexpr Sluid kSluid{100};
constexpr JobId kJob{7};
constexpr Instant kNow{1'000'000};

std::vector<Freeze> freezes(const Outbox& out) {
  std::vector<Freeze> found;
  for (const Effect& effect : out)
    if (const Freeze* one = std::get_if<Freeze>(&effect)) found.push_back(*one);
  return found;
}
bool reported_suspended(const Outbox& out) {
  const auto* report = std::get_if<Report>(&out.back());
  return report && !report->report.attempts.empty() && report->report.attempts.front().suspended;
}
Agent suspended_agent() {
  Agent agent;
  Outbox out;
  agent.handle(LaunchJob{.job = kJob, .sluid = kSluid}, out);
  agent.handle(SuspendJob{.job = kJob, .sluid = kSluid}, out);
  return agent;
}

TEST(Suspension, FreezesEveryShepherdAndSaysSoUntilItIsOver) {
  Agent agent;
  Outbox out;
  agent.handle(LaunchJob{.job = kJob, .sluid = kSluid}, out);
  ASSERT_TRUE(agent.launch_step(kJob, kSluid, StepId{0}, out));
  out.clear();
  agent.handle(SuspendJob{.job = kJob, .sluid = kSluid}, out);
  EXPECT_EQ(freezes(out).size(), 2u);
  EXPECT_TRUE(freezes(out).front().frozen);
  EXPECT_TRUE(reported_suspended(out));
  out.clear();
  agent.heartbeat(out);
  EXPECT_TRUE(reported_suspended(out));
  out.clear();
  agent.handle(SuspendJob{.job = kJob, .sluid = kSluid, .suspend = false}, out);
  EXPECT_EQ(freezes(out).size(), 2u);
  EXPECT_FALSE(freezes(out).front().frozen);
  EXPECT_FALSE(reported_suspended(out));
}

TEST(Suspension, AStepThatComesLateIsFrozenToo) {
  Agent agent = suspended_agent();
  Outbox out;
  ASSERT_TRUE(agent.launch_step(kJob, kSluid, StepId{0}, out));
  EXPECT_TRUE(std::ranges::any_of(
      freezes(out), [](const Freeze& one) { return one.frozen && one.step == StepId{0}; }));
}

TEST(Suspension, AKillThawsFirst) {
  Agent agent = suspended_agent();
  Outbox out;
  agent.handle(KillJob{.job = kJob, .sluid = kSluid, .grace = Duration(1000)}, kNow, out);
  ASSERT_FALSE(out.empty());
  const auto* first = std::get_if<Freeze>(&out.front());
  ASSERT_NE(first, nullptr);
  EXPECT_FALSE(first->frozen);
  out.clear();
  agent.handle(SuspendJob{.job = kJob, .sluid = kSluid}, out);  // too late
  EXPECT_TRUE(freezes(out).empty());
}

}  // namespace
}  // namespace ym::agent
