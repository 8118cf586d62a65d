// SPDX-License-Identifier: Apache-2.0
// Whole passes with preemption, on a cluster of two tiers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/prng.h"
#include "schedule/world_for_test.h"

namespace ym {
namespace {

constexpr Instant kStart = World::kBegin;
constexpr PartitionId kLow{1}, kHigh{2};

std::vector<PartitionSpec> two_tiers(const char* mode, std::uint32_t grace_s) {
  PartitionSpec low{.name = "low", .is_default = true}, high{.name = "high"};
  low.preempt_mode = mode;
  low.grace_time_s = grace_s;
  high.priority_tier = 2;
  return {low, high};
}

JobSpec asking(const char* partition, std::uint32_t nodes, std::uint32_t cpus) {
  JobSpec spec;
  spec.partitions = partition;
  spec.min_nodes = spec.tasks = nodes;
  spec.cpus_per_task = cpus;
  spec.time_limit_s = 3600;
  spec.batch = true;
  return spec;
}

class Tiers : public World {
 public:
  Tiers(std::uint32_t nodes, std::uint32_t cpus, const char* mode, std::uint32_t grace_s = 0)
      : World({.nodes = nodes, .cpus = cpus}, two_tiers(mode, grace_s)) {
    rules.by = PreemptBy::PartitionTier;
    rules.cluster = parse_preempt_mode(mode);
    planner.set_preemption(rules);
  }
  using World::submit;
  JobId submit(const char* partition, std::uint32_t nodes, std::uint32_t cpus) {
    return submit(asking(partition, nodes, cpus));
  }
  JobState state_of(JobId job) const { return state.find(job)->state; }

  PreemptRules rules;
};

TEST(PreemptPass, TheOtherStartsInTheNextPassAndNobodySlipsIn) {
  Tiers yard(1, 4, "CANCEL");
  JobId low = yard.submit("low", 1, 4);
  yard.commit(yard.plan());
  ASSERT_EQ(yard.state_of(low), JobState::Running);
  JobId high = yard.submit("high", 1, 4);
  yard.submit("low", 1, 1);
  Plan plan = yard.plan();
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].victim, low);
  EXPECT_EQ(plan.preemptions[0].by, high);
  EXPECT_TRUE(plan.starts.empty());
  yard.commit(plan);
  plan = yard.plan();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, high);
}

TEST(PreemptPass, WhileOneIsWarnedNobodyElseIsAskedAndItsPlaceIsKept) {
  Tiers yard(2, 4, "CANCEL", 30);
  JobId first = yard.submit("low", 1, 4), second = yard.submit("low", 1, 4);
  yard.commit(yard.plan());
  JobId high = yard.submit("high", 1, 4);
  yard.commit(yard.plan());
  EXPECT_TRUE(yard.state.find(second)->is_preempted());
  EXPECT_FALSE(yard.state.find(first)->is_preempted());
  yard.now = yard.now + std::chrono::seconds(1);
  Plan plan = yard.plan();
  EXPECT_TRUE(plan.preemptions.empty());
  EXPECT_EQ(plan.verdicts.promised.at(high), kStart + std::chrono::seconds(30));
  // Another one of the same tier that comes now does not take it away.
  JobId later = yard.submit("high", 1, 4);
  yard.end(second, JobState::Preempted);
  plan = yard.plan();
  ASSERT_FALSE(plan.starts.empty());
  EXPECT_EQ(plan.starts[0].job, high);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].by, later);
  EXPECT_EQ(plan.preemptions[0].victim, first);
}

TEST(PreemptPass, WhoIsExemptIsAskedWhenThatIsOver) {
  Tiers yard(1, 4, "REQUEUE");
  yard.rules.exempt_s = 60;
  yard.planner.set_preemption(yard.rules);
  JobId low = yard.submit("low", 1, 4);
  yard.commit(yard.plan());
  yard.submit("high", 1, 4);
  EXPECT_TRUE(yard.plan().preemptions.empty());
  EXPECT_EQ(yard.planner.next_begin(yard.now), kStart + std::chrono::seconds(60));
  yard.now = kStart + std::chrono::seconds(60);
  Plan plan = yard.plan();
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].victim, low);
}

// A quick pass in between does not look at the one who waits.
TEST(PreemptPass, TheEndOfAnExemptionIsNotForgottenMeanwhile) {
  Tiers yard(1, 4, "REQUEUE");
  yard.rules.exempt_s = 60;
  yard.planner.set_preemption(yard.rules);
  yard.submit("low", 1, 4);
  yard.commit(yard.plan());
  JobId high = yard.submit("high", 1, 4);
  yard.plan();
  for (int pass = 0; pass < 3; ++pass) {
    yard.now = yard.now + std::chrono::seconds(1);
    Plan quick = yard.plan({.depth = PlanBudget::Depth::Quick});
    EXPECT_TRUE(quick.quick && quick.preemptions.empty());
  }
  yard.now = kStart + std::chrono::seconds(59);
  yard.plan({.depth = PlanBudget::Depth::Quick});
  EXPECT_LE(yard.planner.next_begin(yard.now), kStart + std::chrono::seconds(60));
  yard.now = kStart + std::chrono::seconds(60);
  Plan plan = yard.plan({.depth = PlanBudget::Depth::Quick});
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].by, high);
}

TEST(PreemptPass, InThePlaceOfASuspendedJobTheOtherStartsAtOnceAndItsTierGetsNoneOfTheRest) {
  Tiers yard(1, 4, "SUSPEND,GANG");
  JobId low = yard.submit("low", 1, 4);
  yard.commit(yard.plan());
  JobId high = yard.submit("high", 1, 2);
  yard.commit(yard.plan());
  EXPECT_EQ(yard.state_of(low), JobState::Suspended);
  EXPECT_EQ(yard.state_of(high), JobState::Running);
  JobId waits = yard.submit("low", 1, 1);
  EXPECT_TRUE(yard.plan().starts.empty());
  // The rest is for the higher tier, and nobody has to be asked for it again.
  JobId other = yard.submit("high", 1, 2);
  Plan plan = yard.plan();
  EXPECT_TRUE(plan.preemptions.empty());
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, other);
  yard.commit(plan);
  EXPECT_EQ(yard.state_of(waits), JobState::Pending);
}

TEST(PreemptPass, AHeterogeneousJobMakesRoomAsAWhole) {
  Tiers yard(3, 4, "CANCEL");
  JobId both = yard.submit_together({asking("low", 1, 4), asking("low", 1, 4)});
  JobId alone = yard.submit("low", 1, 4);
  yard.commit(yard.plan());
  ASSERT_EQ(yard.state_of(both), JobState::Running);
  // One more node than the other job has: only the two together give it.
  JobId high = yard.submit("high", 2, 4);
  Plan plan = yard.plan();
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].victim, both);
  yard.commit(plan);
  EXPECT_EQ(yard.state_of(JobId{both.value + 1}), JobState::Preempted);
  EXPECT_EQ(yard.state_of(alone), JobState::Running);
  yard.commit(yard.plan());
  EXPECT_EQ(yard.state_of(high), JobState::Running);
}

TEST(PreemptPass, ForAllComponentsOthersMakeRoomOrForNone) {
  Tiers yard(2, 4, "CANCEL");
  JobId first = yard.submit("low", 1, 4), second = yard.submit("low", 1, 3);
  yard.commit(yard.plan());
  JobId wide = yard.submit_together({asking("high", 1, 4), asking("high", 2, 4)});
  EXPECT_TRUE(yard.plan().preemptions.empty()) << "it never fits";
  yard.end(wide, JobState::Cancelled);
  yard.end(JobId{wide.value + 1}, JobState::Cancelled);
  JobId both = yard.submit_together({asking("high", 1, 4), asking("high", 1, 2)});
  Plan plan = yard.plan();
  ASSERT_EQ(plan.preemptions.size(), 2u);
  EXPECT_TRUE(plan.starts.empty());
  yard.commit(plan);
  EXPECT_EQ(yard.state_of(first), JobState::Preempted);
  EXPECT_EQ(yard.state_of(second), JobState::Preempted);
  yard.commit(yard.plan());
  EXPECT_EQ(yard.state_of(both), JobState::Running);
  EXPECT_EQ(yard.state_of(JobId{both.value + 1}), JobState::Running);
}

// Two jobs to a CPU, in turns of half a minute.
class Gang : public World {
 public:
  Gang() : World({.nodes = 1, .cpus = 4}, {{.name = "p", .oversubscribe = "FORCE:2"}}) {
    PreemptRules rules;
    rules.cluster = parse_preempt_mode("GANG");
    planner.set_preemption(rules);
  }
};

TEST(PreemptPass, APeerMakesRoomWhenItsTurnIsOver) {
  Gang yard;
  JobId first = yard.submit({.cpus_per_task = 4, .time_limit_s = 3600});
  yard.commit(yard.plan());
  JobId second = yard.submit({.cpus_per_task = 4, .time_limit_s = 3600});
  EXPECT_TRUE(yard.plan().preemptions.empty());
  EXPECT_EQ(yard.planner.next_begin(yard.now), kStart + std::chrono::seconds(30));
  yard.now = kStart + std::chrono::seconds(30);
  Plan plan = yard.plan();
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].victim, first);
  EXPECT_EQ(plan.preemptions[0].mode, PreemptMode::Suspend);
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, second);
  yard.commit(plan);
  // No third.
  yard.submit({.cpus_per_task = 4, .time_limit_s = 3600});
  yard.now = kStart + std::chrono::seconds(90);
  EXPECT_TRUE(yard.plan().preemptions.empty());
}

// The place of one that has ended is somebody else's.
TEST(PreemptPass, AThirdTakesTurnsWhenOneOfTwoHasEnded) {
  Gang yard;
  JobSpec spec{.cpus_per_task = 4};
  spec.time_limit_s = JobSpec::kUnlimited;
  JobId first = yard.submit(spec);
  yard.commit(yard.plan());
  JobId second = yard.submit(spec);
  yard.now = kStart + std::chrono::seconds(30);
  yard.commit(yard.plan());
  ASSERT_EQ(yard.state.find(second)->state, JobState::Running);
  yard.happen(JobPreempted{.job = second, .by = first, .mode = PreemptMode::Suspend});
  yard.happen(JobSuspended{.job = second});
  yard.happen(JobResumed{.job = first});
  JobId third = yard.submit(spec);
  EXPECT_TRUE(yard.plan().preemptions.empty());
  yard.end(first, JobState::Cancelled);
  yard.plan();
  yard.happen(JobResumed{.job = second});
  yard.plan();
  yard.now = yard.now + std::chrono::seconds(31);
  Plan plan = yard.plan();
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].victim, second);
  EXPECT_EQ(plan.preemptions[0].by, third);
}

TEST(PreemptPass, OnRandomStatesOnlyLowerTiersMakeRoomOnceAndForNothingElse) {
  std::size_t asked = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Prng prng(seed);
    constexpr const char* kModes[] = {"CANCEL", "REQUEUE", "SUSPEND,GANG", "OFF"};
    const char* mode = kModes[prng.below(4)];
    auto nodes = 1 + static_cast<std::uint32_t>(prng.below(6));
    Tiers yard(nodes, 4, mode);
    for (int round = 0; round < 12; ++round) {
      for (std::uint64_t i = 0, n = prng.below(4); i < n; ++i) {
        const char* tier = prng.chance(1, 3) ? "high" : "low";
        auto cpus = 1 + static_cast<std::uint32_t>(prng.below(4));
        if (prng.chance(1, 6))
          yard.submit_together({asking(tier, 1, cpus), asking(tier, 1, cpus)});
        else
          yard.submit(tier, 1 + static_cast<std::uint32_t>(prng.below(nodes)), cpus);
      }
      yard.now = yard.now + std::chrono::seconds(prng.below(50));
      Plan plan = yard.plan();
      std::set<JobId> victims;
      for (const Preemption& one : plan.preemptions) {
        const Job& victim = *yard.state.find(one.victim);
        ++asked;
        EXPECT_TRUE(victims.insert(one.victim).second) << seed;
        EXPECT_EQ(victim.state, JobState::Running) << seed;
        EXPECT_EQ(victim.partition, kLow) << seed;
        EXPECT_EQ(one.partition, kHigh) << seed;
        EXPECT_NE(one.mode, PreemptMode::Off) << seed;
      }
      // apply() checks that nothing is given twice.
      yard.commit(plan);
      std::set<JobId> started;
      for (const Proposal& one : plan.starts) started.insert(one.job);
      // Whoever others ended for starts now.
      Plan next = yard.plan();
      for (const Proposal& one : next.starts) started.insert(one.job);
      for (const Preemption& one : plan.preemptions)
        EXPECT_TRUE(started.contains(one.by)) << "job " << one.by.value << " of seed " << seed;
      yard.commit(next);
    }
    yard.state.nodes.for_each(
        [&](std::uint64_t, const Node& node) { EXPECT_LE(node.cpus_used, 4u) << seed; });
  }
  EXPECT_GT(asked, 50u);
}

}  // namespace
}  // namespace ym
