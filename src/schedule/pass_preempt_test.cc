// SPDX-License-Identifier: Apache-2.0
// Whole passes with preemption, on a cluster of two tiers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/prng.h"
#include "model/apply.h"
#include "schedule/planner.h"

namespace ym {
namespace {

constexpr Instant kStart{1'000'000'000};
constexpr PartitionId kLow{1}, kHigh{2};

class Tiers {
 public:
  Tiers(std::uint32_t nodes, std::uint32_t cpus, const char* mode, std::uint32_t grace_s = 0)
      : planner({}) {
    NodesDefined defined;
    std::vector<NodeId> ids;
    for (std::uint32_t i = 1; i <= nodes; ++i) {
      NodeSpec spec{.name = fmt::format("n{}", i), .cpus = cpus, .memory_mb = 1000};
      defined.nodes.push_back({{i}, Ref(spec)});
      ids.push_back({i});
    }
    happen(defined);
    for (NodeId id : ids) {
      happen(NodeRegistered{.node = id, .registration = Ref(NodeRegistration{.cpus = cpus})});
      happen(NodeStateChanged{.node = id, .condition = NodeCondition::Up});
    }
    PartitionSpec low{.name = "low", .is_default = true};
    low.preempt_mode = mode;
    low.grace_time_s = grace_s;
    PartitionSpec high{.name = "high"};
    high.priority_tier = 2;
    happen(PartitionDefined{.partition = kLow, .spec = Ref(low), .nodes = Ref(ids)});
    happen(PartitionDefined{.partition = kHigh, .spec = Ref(high), .nodes = Ref(ids)});
    rules.by = PreemptBy::PartitionTier;
    rules.cluster = parse_preempt_mode(mode);
    planner.set_preemption(rules);
  }
  void happen(EventBody body) {
    Event event{.seq = {state.seq.value + 1}, .at = now, .body = std::move(body)};
    apply(state, event);
    planner.observe(event, state);
  }
  JobId submit(const char* partition, std::uint32_t nodes, std::uint32_t cpus) {
    JobSpec spec;
    spec.partitions = partition;
    spec.min_nodes = spec.tasks = nodes;
    spec.cpus_per_task = cpus;
    spec.time_limit_s = 3600;
    spec.batch = true;
    JobId id{state.next_job_id};
    JobSubmitted event{.job = id, .sluid = {id.value}, .priority = 1'000'000 - id.value};
    event.spec = Ref(std::move(spec));
    happen(event);
    return id;
  }
  Plan plan() { return planner.plan(state, now, {}); }
  void start(const Proposal& one) {
    happen(JobStarted{.job = one.job,
                      .partition = one.partition,
                      .allocation = Ref(one.allocation),
                      .limit_end = now + std::chrono::seconds(3600)});
  }
  // What the core does, with nodes that are clean at once.
  void commit(const Plan& plan) {
    for (const Preemption& one : plan.preemptions) {
      Instant until = one.grace > Duration(0) ? now + one.grace : Instant{};
      happen(JobPreempted{
          .job = one.victim, .by = one.by, .mode = one.mode, .limit_end = until});
      if (one.mode == PreemptMode::Suspend)
        happen(JobSuspended{.job = one.victim});
      else if (!until)
        end(one.victim);
    }
    for (const Proposal& one : plan.starts) start(one);
  }
  void end(JobId job) {
    std::vector<NodeShare> shares = state.find(job)->allocation->nodes;
    happen(JobFinished{.job = job, .state = JobState::Preempted});
    for (const NodeShare& share : shares)
      happen(JobNodeReleased{.job = job, .node = share.node});
  }
  JobState state_of(JobId job) const { return state.find(job)->state; }

  Instant now = kStart;
  State state;
  Planner planner;
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
  yard.end(second);
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

TEST(PreemptPass, OnRandomStatesOnlyLowerTiersMakeRoomOnceAndForNothingElse) {
  std::size_t asked = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Prng prng(seed);
    constexpr const char* kModes[] = {"CANCEL", "REQUEUE", "SUSPEND,GANG", "OFF"};
    const char* mode = kModes[prng.below(4)];
    auto nodes = 1 + static_cast<std::uint32_t>(prng.below(6));
    Tiers yard(nodes, 4, mode);
    for (int round = 0; round < 12; ++round) {
      for (std::uint64_t i = 0, n = prng.below(4); i < n; ++i)
        yard.submit(prng.chance(1, 3) ? "high" : "low",
                    1 + static_cast<std::uint32_t>(prng.below(nodes)),
                    1 + static_cast<std::uint32_t>(prng.below(4)));
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
    yard.state.nodes.for_each([&](std::uint64_t, const Node& node) {
      EXPECT_LE(node.cpus_used, 4u) << seed;
    });
  }
  EXPECT_GT(asked, 50u);
}

}  // namespace
}  // namespace ym
