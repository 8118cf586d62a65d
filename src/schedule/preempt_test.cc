// SPDX-License-Identifier: Apache-2.0
#include "schedule/preempt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"

namespace ym {
namespace {

constexpr Instant kNow{10'000'000};

// Jobs on nodes of which some cpus are free; one who needs so many cpus on one node, or on several.
struct Yard {
  std::vector<std::uint32_t> free;                   // by node
  std::vector<Victim> jobs;                          // sorted
  std::vector<std::pair<NodeId, std::uint32_t>> at;  // where each is, and its cpus

  void add(Victim job, std::uint32_t node) {
    job.job = JobId{static_cast<std::uint32_t>(jobs.size()) + 1};
    at.emplace_back(NodeId{node}, job.cpus);
    jobs.push_back(job);
  }
  void sort(const PreemptRules& rules) {
    std::ranges::sort(jobs,
                      [&](const Victim& a, const Victim& b) { return goes_before(a, b, rules); });
  }
  FitsWithout needs(std::uint32_t nodes, std::uint32_t cpus) {
    using Nodes = std::optional<std::vector<NodeId>>;
    return [this, nodes, cpus](const std::vector<bool>& gone) -> Nodes {
      std::vector<std::uint32_t> left = free;
      for (std::size_t i = 0; i < gone.size(); ++i)
        if (gone[i]) left[where(i).first.value] += where(i).second;
      std::vector<NodeId> found;
      for (std::uint32_t node = 0; node < left.size() && found.size() < nodes; ++node)
        if (left[node] >= cpus) found.push_back({node});
      if (found.size() < nodes) return std::nullopt;
      return found;
    };
  }
  Meets meets() {
    return [this](std::size_t i, const std::vector<NodeId>& nodes) {
      return std::ranges::find(nodes, where(i).first) != nodes.end();
    };
  }
  const std::pair<NodeId, std::uint32_t>& where(std::size_t i) const {
    return at[jobs[i].job.value - 1];
  }
  // The numbers of those who go.
  std::vector<std::uint32_t> go(std::uint32_t nodes, std::uint32_t cpus, PreemptRules rules = {}) {
    sort(rules);
    auto chosen = choose_victims(jobs, rules, needs(nodes, cpus), meets());
    std::vector<std::uint32_t> out;
    if (!chosen) return out;
    for (std::size_t i : *chosen) out.push_back(jobs[i].job.value);
    std::ranges::sort(out);
    return out;
  }
};
using Numbers = std::vector<std::uint32_t>;

TEST(ChooseVictims, TheLowestPriorityGoesFirst) {
  Yard yard{.free = {0, 0, 0}};
  yard.add({.priority = 30, .cpus = 4}, 0);
  yard.add({.priority = 10, .cpus = 4}, 1);
  yard.add({.priority = 20, .cpus = 4}, 2);
  EXPECT_EQ(yard.go(1, 4), Numbers({2}));
  EXPECT_EQ(yard.go(2, 4), Numbers({2, 3}));
}

TEST(ChooseVictims, ALowerTierGoesBeforeALowerPriority) {
  Yard yard{.free = {0, 0}};
  yard.add({.level = 2, .priority = 1, .cpus = 4}, 0);
  yard.add({.level = 1, .priority = 9, .cpus = 4}, 1);
  EXPECT_EQ(yard.go(1, 4), Numbers({2}));
}

TEST(ChooseVictims, TheYoungestGoesFirstIfTheSiteSaysSo) {
  Yard yard{.free = {0, 0}};
  yard.add({.priority = 1, .start = Instant{100}, .cpus = 4}, 0);
  yard.add({.priority = 9, .start = Instant{200}, .cpus = 4}, 1);
  EXPECT_EQ(yard.go(1, 4), Numbers({1}));
  EXPECT_EQ(yard.go(1, 4, {.youngest_first = true}), Numbers({2}));
}

TEST(ChooseVictims, WhoLosesLeastGoesFirstAmongEquals) {
  Yard yard{.free = {0, 0}};
  yard.add({.loss = 900, .cpus = 4}, 0);
  yard.add({.loss = 100, .cpus = 4}, 1);
  EXPECT_EQ(yard.go(1, 4), Numbers({2}));
}

TEST(ChooseVictims, NobodyGoesForNothing) {
  Yard yard{.free = {2, 0}};
  yard.add({.priority = 1, .cpus = 1}, 1);
  EXPECT_EQ(yard.go(1, 4), Numbers());
}

TEST(ChooseVictims, OneLargeJobGoesRatherThanManySmallOnesUnlessOrderIsStrict) {
  Yard yard{.free = {0, 0}};
  for (std::uint32_t i = 0; i < 4; ++i) yard.add({.priority = 1 + i, .cpus = 1}, 0);
  yard.add({.priority = 9, .cpus = 4}, 0);
  EXPECT_EQ(yard.go(1, 4), Numbers({5}));
  EXPECT_EQ(yard.go(1, 4, {.strict_order = true}), Numbers({1, 2, 3, 4}));
  EXPECT_EQ(yard.go(1, 4, {.reorder_count = 0}), Numbers({1, 2, 3, 4}));
  // Not one of a better tier, however few.
  yard.jobs.back().level = 1;
  EXPECT_EQ(yard.go(1, 4), Numbers({1, 2, 3, 4}));
}

TEST(ChooseVictims, WhoIsSuspendedAlreadyCostsNothing) {
  Yard yard{.free = {0, 0}};
  yard.add({.priority = 1, .cpus = 4}, 0);
  yard.add({.parked = true, .priority = 9, .cpus = 4}, 1);
  EXPECT_EQ(yard.go(1, 4), Numbers({2}));
}

TEST(ChooseVictims, NeverMoreThanNeededOnRandomStates) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Prng prng(seed);
    Yard yard;
    std::size_t nodes = 1 + prng.below(6);
    for (std::size_t i = 0; i < nodes; ++i)
      yard.free.push_back(static_cast<std::uint32_t>(prng.below(3)));
    for (std::size_t i = 0, n = prng.below(12); i < n; ++i)
      yard.add({.level = static_cast<std::uint32_t>(prng.below(2)),
                .priority = static_cast<std::uint32_t>(prng.below(5)),
                .loss = static_cast<std::int64_t>(prng.below(5)),
                .cpus = 1 + static_cast<std::uint32_t>(prng.below(4))},
               static_cast<std::uint32_t>(prng.below(nodes)));
    PreemptRules rules{.strict_order = prng.chance(1, 2), .youngest_first = prng.chance(1, 2)};
    yard.sort(rules);
    auto want_nodes = 1 + static_cast<std::uint32_t>(prng.below(3));
    auto want_cpus = 1 + static_cast<std::uint32_t>(prng.below(6));
    FitsWithout fits = yard.needs(want_nodes, want_cpus);
    std::vector<bool> none(yard.jobs.size(), false), all(yard.jobs.size(), true);
    if (fits(none)) continue;  // asked for blocked jobs only
    auto chosen = choose_victims(yard.jobs, rules, fits, yard.meets());
    ASSERT_EQ(chosen.has_value(), fits(all).has_value()) << seed;
    if (!chosen) continue;
    std::vector<bool> gone = none;
    for (std::size_t i : *chosen) gone[i] = true;
    ASSERT_TRUE(fits(gone)) << seed;
    for (std::size_t i : *chosen) {
      gone[i] = false;
      ASSERT_FALSE(fits(gone)) << "job " << yard.jobs[i].job.value << " goes for nothing, " << seed;
      gone[i] = true;
    }
  }
}

// --- who may make room at all ---

class MayPreempt : public testing::Test {
 protected:
  MayPreempt() {
    rules.by = PreemptBy::PartitionTier;
    rules.cluster = parse_preempt_mode("REQUEUE");
    low.name = "low";
    low.preempt_mode = "REQUEUE";
    high.name = "high";
    high.priority_tier = 2;
    spec.batch = wants.batch = true;
    spec.qos = "normal";
    wants.qos = "urgent";
    job.id = {1};
    job.state = JobState::Running;
    job.partition = {1};
    job.start = kNow - std::chrono::seconds(100);
  }
  PreemptMode ask() {
    job.spec = Ref(spec);
    State state;
    state.partitions.put(1, Partition{.id = {1}, .spec = Ref(low), .nodes = {}});
    return may_preempt(rules, state, job, {.spec = wants, .partition = high, .priority = 5}, kNow);
  }
  PreemptRules rules;
  PartitionSpec low, high;
  JobSpec spec, wants;
  Job job;
};

TEST_F(MayPreempt, AJobOfALowerTierMakesRoomAsItsPartitionSays) {
  EXPECT_EQ(ask(), PreemptMode::Requeue);
  low.preempt_mode = "CANCEL";
  EXPECT_EQ(ask(), PreemptMode::Cancel);
  low.preempt_mode = "GANG,SUSPEND";
  EXPECT_EQ(ask(), PreemptMode::Suspend);
  low.preempt_mode = "OFF";
  EXPECT_EQ(ask(), PreemptMode::Off);
}

TEST_F(MayPreempt, NobodyOfTheSameOrAHigherTierDoes) {
  low.priority_tier = 2;
  EXPECT_EQ(ask(), PreemptMode::Off);
  low.priority_tier = 3;
  EXPECT_EQ(ask(), PreemptMode::Off);
}

TEST_F(MayPreempt, WhatCannotComeBackIsCancelled) {
  spec.requeue = false;
  EXPECT_EQ(ask(), PreemptMode::Cancel);
  spec.requeue = true;
  spec.batch = false;
  EXPECT_EQ(ask(), PreemptMode::Cancel);
}

TEST_F(MayPreempt, NotBeforeItsExemptTimeIsOverUnlessItIsSuspended) {
  rules.exempt_s = 101;
  EXPECT_EQ(ask(), PreemptMode::Off);
  rules.exempt_s = 100;
  EXPECT_EQ(ask(), PreemptMode::Requeue);
  rules.exempt_s = 101;
  low.preempt_mode = "SUSPEND";
  EXPECT_EQ(ask(), PreemptMode::Suspend);
}

TEST_F(MayPreempt, NobodyMakesRoomTwice) {
  job.preemption = Ref(JobPreemption{.at = kNow, .by = {9}, .mode = PreemptMode::Requeue});
  EXPECT_EQ(ask(), PreemptMode::Off);
  // One that was suspended and runs again may be asked anew.
  job.preemption = Ref(JobPreemption{.at = kNow, .by = {9}, .mode = PreemptMode::Off});
  EXPECT_EQ(ask(), PreemptMode::Requeue);
}

TEST_F(MayPreempt, AHighPriorityExempts) {
  rules.min_exempt_priority = 1000;
  job.priority = 999;
  EXPECT_EQ(ask(), PreemptMode::Requeue);
  job.priority = 1000;
  EXPECT_EQ(ask(), PreemptMode::Off);
}

TEST_F(MayPreempt, ByQosThoseOnTheListDo) {
  rules.by = PreemptBy::Qos;
  EXPECT_EQ(ask(), PreemptMode::Off);
  rules.qos["urgent"].preempts = {"normal"};
  EXPECT_EQ(ask(), PreemptMode::Requeue);
  rules.qos["normal"] = {.mode = PreemptMode::Cancel, .exempt_s = 100};
  EXPECT_EQ(ask(), PreemptMode::Cancel);
  rules.qos["normal"].exempt_s = 101;
  EXPECT_EQ(ask(), PreemptMode::Off);
}

TEST_F(MayPreempt, WithinAQosThePriorityDecides) {
  rules.by = PreemptBy::Qos;
  wants.qos = "normal";
  rules.qos["normal"] = {};
  job.priority = 4;
  EXPECT_EQ(ask(), PreemptMode::Off);
  rules.qos["normal"].within = true;
  EXPECT_EQ(ask(), PreemptMode::Requeue);
  job.priority = 5;
  EXPECT_EQ(ask(), PreemptMode::Off);
}

TEST_F(MayPreempt, GraceIsThePartitionsOrTheQos) {
  low.grace_time_s = 7;
  EXPECT_EQ(grace_time_of(rules, spec, low, PreemptMode::Cancel), std::chrono::seconds(7));
  EXPECT_EQ(grace_time_of(rules, spec, low, PreemptMode::Suspend), Duration(0));
  rules.by = PreemptBy::Qos;
  rules.qos["normal"] = {.grace_s = 9};
  EXPECT_EQ(grace_time_of(rules, spec, low, PreemptMode::Cancel), std::chrono::seconds(9));
}

}  // namespace
}  // namespace ym
