// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "agent/agent.h"

namespace ym::agent {
namespace {

constexpr Sluid kSluid{100};
constexpr JobId kJob{7};
constexpr Instant kNow{1'000'000};
constexpr LimitMemory kOrder{.job = kJob, .sluid = kSluid, .memory_mb = 500};

const Limit* limit_in(const Outbox& out) {
  return out.size() == 1 ? std::get_if<Limit>(&out.front()) : nullptr;
}
const MemoryReport* report_in(const Outbox& out) {
  const auto* report = out.size() == 1 ? std::get_if<Report>(&out.front()) : nullptr;
  return report && report->report.memory.size() == 1 ? &report->report.memory.front() : nullptr;
}

// A batch script and a step.
class Memory : public testing::Test {
 protected:
  Memory() {
    agent.handle(LaunchJob{.job = kJob, .sluid = kSluid}, out);
    EXPECT_TRUE(agent.launch_step(kJob, kSluid, StepId{0}, out));
    out.clear();
  }
  Agent agent;
  Outbox out;
};

TEST_F(Memory, EveryShepherdIsToldAndTheHighestLimitCounts) {
  agent.handle(kOrder, out);
  const Limit* limit = limit_in(out);
  ASSERT_NE(limit, nullptr);
  EXPECT_EQ(limit->memory_mb, 500u);
  EXPECT_EQ(limit->steps, (std::vector<StepId>{StepId{0}, kBatchStep}));
  EXPECT_EQ(agent.memory_limit(kSluid), 500u) << "what starts from now on gets no more";
  out.clear();
  agent.memory_told(kSluid, 500,
                    {{.step = StepId{0}, .limit_mb = 500, .attempt_mb = 590, .resident_mb = 300},
                     {.step = kBatchStep, .limit_mb = 600, .attempt_mb = 595, .resident_mb = 290}},
                    out);
  const MemoryReport* report = report_in(out);
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->job, kJob);
  EXPECT_EQ(report->asked_mb, 500u);
  EXPECT_EQ(report->limit_mb, 600u);
  EXPECT_EQ(report->used_mb, 595u);
}

TEST_F(Memory, AShepherdThatDoesNotAnswerLeavesTheOrderOpen) {
  agent.memory_told(kSluid, 500, {{.step = kBatchStep, .limit_mb = 500}}, out);
  EXPECT_TRUE(out.empty());
  agent.shepherd_ended(kSluid, StepId{0}, {}, out);
  out.clear();
  agent.memory_told(kSluid, 500, {{.step = kBatchStep, .limit_mb = 500}}, out);
  EXPECT_NE(report_in(out), nullptr) << "unless it has ended";
}

TEST_F(Memory, WithoutGroupsWhatIsInUseIsAdded) {
  agent.memory_told(
      kSluid, 0, {{.step = StepId{0}, .resident_mb = 300}, {.step = kBatchStep, .resident_mb = 5}},
      out);
  ASSERT_NE(report_in(out), nullptr);
  EXPECT_EQ(report_in(out)->used_mb, 305u);
}

TEST_F(Memory, AnAttemptWithNothingHereHasItsLimitAtOnce) {
  agent.handle(LimitMemory{.job = {8}, .sluid = Sluid{200}, .memory_mb = 70}, out);
  ASSERT_NE(report_in(out), nullptr);
  EXPECT_EQ(report_in(out)->limit_mb, 70u);
  EXPECT_EQ(agent.memory_limit(Sluid{200}), 70u);
  out.clear();
  agent.handle(KillJob{.job = {8}, .sluid = Sluid{200}}, kNow, out);
  EXPECT_EQ(agent.memory_limit(Sluid{200}), 0u);
}

TEST_F(Memory, ALimitIsNotRaisedAndAQuestionSetsNone) {
  agent.handle(kOrder, out);
  agent.handle(LimitMemory{.job = kJob, .sluid = kSluid, .memory_mb = 600}, out);
  agent.handle(LimitMemory{.job = kJob, .sluid = kSluid}, out);
  EXPECT_EQ(agent.memory_limit(kSluid), 500u);
}

TEST_F(Memory, WhatIsBeingKilledIsLeftAlone) {
  agent.handle(KillJob{.job = kJob, .sluid = kSluid, .grace = Duration(1000)}, kNow, out);
  out.clear();
  agent.handle(kOrder, out);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace ym::agent
