// SPDX-License-Identifier: Apache-2.0
#include "schedule/planner.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/format.h"
#include "base/prng.h"
#include "schedule/placement.h"
#include "schedule/shape.h"
#include "schedule/world_for_test.h"

namespace ym {
namespace {

constexpr Instant kNow = World::kBegin;

JobSpec random_spec(Prng& prng, std::uint32_t cpus) {
  JobSpec spec;
  spec.min_nodes = static_cast<std::uint32_t>(prng.between(1, 3));
  spec.tasks = static_cast<std::uint32_t>(prng.between(spec.min_nodes, 2 * cpus));
  spec.time_limit_s = static_cast<std::uint32_t>(prng.between(1, 20)) * 60;
  spec.exclusive = prng.chance(1, 8);
  return spec;
}

World random_cluster(std::uint64_t seed) {
  Prng prng(seed);
  World cluster({.nodes = static_cast<std::uint32_t>(prng.between(2, 8)), .cpus = 4});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 8; ++i)
      cluster.submit(random_spec(prng, 4), prng.chance(1, 4) ? "0-3%2" : nullptr);
    Plan plan = cluster.plan();
    for (const Proposal& proposal : plan.starts)
      if (prng.chance(2, 3)) cluster.start(proposal);
  }
  return cluster;
}

std::string text_of(const Plan& plan) {
  std::string text;
  for (const Proposal& start : plan.starts) {
    text += fmt::format("{}_{}:", start.job.value, start.array_task);
    for (const NodeShare& share : start.allocation.nodes)
      text += fmt::format(" {}*{}", share.node.value, share.cpus);
  }
  return text;
}

TEST(PlannerProperties, NothingIsProposedTwice) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    World cluster = random_cluster(seed);
    std::map<NodeId, std::uint32_t> used;
    std::set<std::pair<JobId, std::uint32_t>> seen;
    for (const Proposal& start : cluster.plan().starts) {
      EXPECT_TRUE(seen.insert({start.job, start.array_task}).second) << seed;
      for (const NodeShare& share : start.allocation.nodes) used[share.node] += share.cpus;
      EXPECT_TRUE(
          still_fits(cluster.state, *cluster.state.find(start.job)->spec, start.allocation, {}));
      EXPECT_GE(start.allocation.nodes.size(), cluster.state.find(start.job)->spec->min_nodes);
    }
    for (const auto& [id, cpus] : used)
      EXPECT_LE(cpus, cluster.state.find(id)->cpus_free()) << seed;
  }
}

TEST(PlannerProperties, TheSameStateGivesTheSamePlanAlsoToAPlannerThatStartsAnew) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    // One whose plans depend on nothing but the state.
    World cluster = random_cluster(seed);
    cluster.planner.set_policy(kBackfill);
    Planner fresh({});
    fresh.set_policy(kBackfill);
    fresh.rebuild(cluster.state);
    EXPECT_EQ(text_of(cluster.plan()), text_of(cluster.plan()));
    EXPECT_EQ(text_of(cluster.plan()), text_of(fresh.plan(cluster.state, kNow, {}))) << seed;
    EXPECT_EQ(fresh.pending(), cluster.planner.pending());
  }
}

// The first blocked job's planned start, before and after everything else was started.
TEST(PlannerProperties, ALowerPriorityJobNeverDelaysTheHead) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    World cluster = random_cluster(seed);
    Plan plan = cluster.plan({.starts_max = 1000, .reservations_max = 1});
    JobId head;
    Instant promised;
    for (const auto& [shape, verdict] : plan.verdicts.shapes)
      if (verdict.expected_start && verdict.reason == Reason::Resources) {
        head = verdict.head;
        promised = verdict.expected_start;
      }
    if (!head) continue;
    for (const Proposal& start : plan.starts) cluster.start(start);
    Plan after = cluster.plan({.starts_max = 1000, .reservations_max = 1});
    for (const auto& [shape, verdict] : after.verdicts.shapes)
      if (verdict.head == head && verdict.expected_start) {
        EXPECT_LE(verdict.expected_start, promised) << "seed " << seed;
      }
  }
}

TEST(Planner, KeepsTheLimitOfAnArrayInOnePassAndOverPasses) {
  World cluster({.nodes = 2, .cpus = 8});
  JobId array = cluster.submit({.time_limit_s = 60}, "0-9%3");
  Plan plan = cluster.plan();
  ASSERT_EQ(plan.starts.size(), 3u);
  EXPECT_EQ(plan.verdicts.jobs[array], Reason::JobArrayTaskLimit);
  for (const Proposal& start : plan.starts) cluster.start(start);
  EXPECT_TRUE(cluster.plan().starts.empty());
}

TEST(Planner, ABudgetCutsThePlanShortAndSaysSo) {
  World cluster({.nodes = 4, .cpus = 8});
  for (int i = 0; i < 10; ++i) cluster.submit({.time_limit_s = 60});
  Plan plan = cluster.plan({.starts_max = 4, .reservations_max = 1});
  EXPECT_EQ(plan.starts.size(), 4u);
  EXPECT_TRUE(plan.cut_short);
}

TEST(Planner, APassTellsWhatItFoundAndWhyItEnded) {
  World cluster({.nodes = 2, .cpus = 4});
  for (int i = 0; i < 6; ++i) cluster.submit({.tasks = 4, .time_limit_s = 60});
  PlanBudget full{.depth = PlanBudget::Depth::Full};
  PlanTally all = cluster.plan(full).tally;
  EXPECT_EQ(all.waiting, 6u);
  EXPECT_EQ(all.started, 2u);
  EXPECT_EQ(all.promised, 4u);
  EXPECT_EQ(all.exit, PlanExit::QueueEnd);
  full.starts_max = 1;
  EXPECT_EQ(cluster.plan(full).tally.exit, PlanExit::StartsMax);
  full.starts_max = 1000;
  full.reservations_max = 2;
  PlanTally few = cluster.plan(full).tally;
  EXPECT_EQ(few.promised, 2u);
  EXPECT_EQ(few.exit, PlanExit::PromisesMax);
  full.out_of_time = [] { return true; };
  EXPECT_EQ(cluster.plan(full).tally.exit, PlanExit::OutOfTime);
}

// Two are promised in any case; then it is asked before each one whether there is time for more.
TEST(Planner, TheDepthIsABudgetOfTime) {
  World cluster({.nodes = 2, .cpus = 4});
  for (int i = 0; i < 9; ++i) cluster.submit({.tasks = 4, .time_limit_s = 60});
  PlanBudget full{.reservations_max = 2, .depth = PlanBudget::Depth::Full};
  int left = 3;
  full.more_promises = [&] { return left-- > 0; };
  PlanTally some = cluster.plan(full).tally;
  EXPECT_EQ(some.promised, 5u);
  EXPECT_EQ(some.exit, PlanExit::OutOfTime);
  full.more_promises = [] { return true; };
  PlanTally all = cluster.plan(full).tally;
  EXPECT_EQ(all.promised, 7u);
  EXPECT_EQ(all.exit, PlanExit::QueueEnd);
}

TEST(Planner, JobsAlikeAreOneShape) {
  World cluster({.nodes = 1, .cpus = 1});
  for (int i = 0; i < 50; ++i) cluster.submit({.name = std::to_string(i), .time_limit_s = 60});
  EXPECT_EQ(cluster.planner.shapes(), 1u);
  EXPECT_EQ(cluster.planner.pending(), 50u);
}

TEST(Planner, KnowsTheNextBeginAlsoBehindJobsThatOnlyWaitForRoom) {
  World cluster({.nodes = 1, .cpus = 4});
  EXPECT_EQ(cluster.planner.next_begin(kNow), kNever);
  cluster.submit({.tasks = 100});
  JobSpec later{.tasks = 1};
  later.begin = kNow + Duration(5000);
  cluster.submit(later);
  EXPECT_EQ(cluster.planner.next_begin(kNow), later.begin);
  EXPECT_EQ(cluster.planner.next_begin(later.begin), kNever);
}

TEST(Planner, WhatWasDueOnceStaysDueWhenTheClockIsSetBack) {
  World cluster({.nodes = 1, .cpus = 4});
  cluster.submit({.tasks = 1});
  EXPECT_EQ(cluster.planner.plan(cluster.state, kNow - Duration(5000), {}).starts.size(), 1u);
}

TEST(Planner, AReservationSeesTheJobsOfItsOwnPass) {
  World cluster({.nodes = 2, .cpus = 4});
  cluster.submit({.tasks = 4, .time_limit_s = 60});
  cluster.submit({.tasks = 8, .min_nodes = 2, .time_limit_s = 60});
  JobId late = cluster.submit({.tasks = 4, .time_limit_s = 6000});
  for (const Proposal& start : cluster.plan().starts) EXPECT_NE(start.job, late);
}

TEST(Shape, HoldsWhatPlacementLooksAtAndNothingElse) {
  JobSpec spec{.name = "a", .partitions = "p"};
  JobSpec other = spec;
  other.name = "b";
  other.uid = {7};
  EXPECT_EQ(shape_key(spec), shape_key(other));
  other.min_nodes = 2;
  EXPECT_NE(shape_key(spec), shape_key(other));
  EXPECT_NE(shape_hash(shape_key(spec)), shape_hash(shape_key(other)));
}

TEST(Placement, PrefersTheTightestNodeForOneNodeAndFewNodesForMore) {
  std::vector<Free> free{{.node = {1}, .cpus = 8, .cpus_total = 8},
                         {.node = {2}, .cpus = 3, .cpus_total = 8, .idle = false},
                         {.node = {3}, .cpus = 8, .cpus_total = 8}};
  EXPECT_EQ(place({.tasks = 2}, free, {})->nodes.front().node, NodeId{2});
  auto wide = place({.tasks = 16}, free, {});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->nodes.size(), 2u);
  EXPECT_FALSE(place({.tasks = 16}, free, {.max_nodes = 1}));
  EXPECT_FALSE(place({.tasks = 20}, free, {}));
  EXPECT_EQ(place({.tasks = 1, .exclusive = true}, free, {})->nodes.front().cpus, 8u);
}

TEST(Placement, TasksFillNodesUnlessTheyAreToBeDealtOut) {
  JobSpec spec{.tasks = 4, .min_nodes = 2, .max_nodes = 2};
  std::vector<Free> nodes = {{.node = NodeId{1}, .cpus = 4}, {.node = NodeId{2}, .cpus = 4}};
  Allocation filled = *place(spec, nodes, {});
  EXPECT_EQ(filled.nodes[0].cpus, 3u);
  spec.extras = Ref(JobExtras{.binding = {.distribution = "cyclic"}});
  Allocation dealt = *place(spec, nodes, {});
  EXPECT_EQ(dealt.nodes[0].cpus, 2u);
  EXPECT_EQ(dealt.nodes[1].cpus, 2u);
}

TEST(Placement, UnwantedThreadsCostTheirCores) {
  JobSpec spec{.tasks = 3};
  spec.extras = Ref(JobExtras{.binding = {.threads_per_core = 1}});
  Free node{.node = NodeId{1}, .cpus = 8, .shape = {.threads = 2}};
  EXPECT_EQ(place(spec, {node}, {})->nodes[0].cpus, 6u);
  spec.tasks = 5;
  EXPECT_FALSE(place(spec, {node}, {}));
}

TEST(Placement, NoTwoJobsShareACore) {
  Free node{.node = {1}, .cpus = 8, .cpus_total = 8, .shape = {.threads = 2, .sockets = 2}};
  node.shape.cores_per_socket = 2;
  auto cpus = [&](JobSpec spec, CpuUnit unit) {
    auto found = place(spec, {node}, {.unit = unit});
    return found ? found->nodes[0].cpus : 0;
  };
  for (std::uint32_t tasks = 1; tasks <= 8; ++tasks) {
    EXPECT_EQ(cpus({.tasks = tasks}, CpuUnit::Cpu), tasks);
    EXPECT_EQ(cpus({.tasks = tasks}, CpuUnit::Core), (tasks + 1) / 2 * 2);
    EXPECT_EQ(cpus({.tasks = tasks}, CpuUnit::Socket), (tasks + 3) / 4 * 4);
  }
  EXPECT_EQ(cpus({.tasks = 2, .cpus_per_task = 3}, CpuUnit::Core), 6u);
  EXPECT_EQ(cpus({.min_cpus_per_node = 3}, CpuUnit::Core), 4u);
  EXPECT_EQ(cpus({.tasks = 20, .overcommit = true}, CpuUnit::Core), 2u);
  // A thread that is left, where single threads were given away before, is nobody's.
  node.cpus = 3;
  EXPECT_EQ(cpus({.tasks = 1}, CpuUnit::Core), 2u);
  EXPECT_EQ(cpus({.tasks = 3}, CpuUnit::Core), 0u);
  EXPECT_EQ(cpus({.tasks = 1}, CpuUnit::Socket), 0u);
  EXPECT_EQ(cpus({.tasks = 20, .overcommit = true}, CpuUnit::Core), 2u);
}

// What a node of four cpus has in a row, where `shared` of them are somebody's, in whichever.
Free in_row(std::uint32_t node, std::uint32_t row, std::uint32_t cpus, std::uint32_t shared) {
  Free free{.node = {node}, .cpus = cpus, .cpus_total = 4, .row = row};
  free.cpus_shared = shared;
  return free;
}

TEST(Placement, WhoSharesGetsTheCpusWithTheFewestUsers) {
  const PlacementRules rules{.sharers = 4, .shares_by_force = true};
  auto placed = [&](const JobSpec& spec, const std::vector<Free>& nodes) {
    std::string text;
    if (auto found = place(spec, nodes, rules))
      for (const NodeShare& one : found->nodes)
        text += fmt::format("n{}.{}*{} ", one.node.value, one.row, one.cpus);
    return text;
  };
  std::vector<Free> nodes = {in_row(1, 1, 2, 2), in_row(1, 2, 4, 2), in_row(2, 1, 4, 0)};
  EXPECT_EQ(placed({.tasks = 2}, nodes), "n1.1*2 ") << "the tightest, where nobody meets anybody";
  EXPECT_EQ(placed({.tasks = 3}, nodes), "n2.1*3 ");
  EXPECT_EQ(placed({.tasks = 8}, nodes), "n1.2*4 n2.1*4 ");
  nodes.back().weight = 100;
  nodes.back().asleep = true;
  EXPECT_EQ(placed({.tasks = 3}, nodes), "n2.1*3 ") << "all other things being equal";
  nodes = {in_row(1, 1, 2, 2), in_row(1, 2, 4, 2), in_row(2, 1, 2, 2), in_row(2, 2, 4, 2)};
  EXPECT_EQ(placed({.tasks = 4}, nodes), "n1.1*2 n2.1*2 ") << "in the first row: others are whole";
  EXPECT_EQ(placed({.tasks = 4, .max_nodes = 1}, nodes), "n1.2*4 ");
  EXPECT_EQ(placed({.tasks = 4}, {in_row(1, 3, 4, 8), in_row(2, 2, 4, 4)}), "n2.2*4 ");
  EXPECT_EQ(placed({.tasks = 3}, {in_row(1, 2, 4, 4), in_row(2, 2, 4, 2)}), "n2.2*3 ")
      << "two of them are nobody's";
  EXPECT_EQ(placed({.tasks = 4}, {in_row(1, 1, 4, 4), in_row(2, 1, 4, 0)}), "n2.1*4 ")
      << "the first row is empty, but the second is not";
  EXPECT_EQ(placed({.tasks = 4}, {in_row(1, 1, 4, 400)}), "n1.1*4 ");
  EXPECT_EQ(placed({.tasks = 5}, {in_row(1, 1, 4, 4)}), "");
}

TEST(Placement, MemoryIsPaidForAllThreadsOfACore) {
  Free node{.node = {1}, .cpus = 8, .cpus_total = 8, .memory_mb = 700, .shape = {.threads = 2}};
  PlacementRules rules{.memory_counts = true};
  auto one = place({.tasks = 1, .memory_per_cpu_mb = 100}, {node}, rules);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->nodes[0].memory_mb, 200u);
  EXPECT_TRUE(place({.tasks = 6, .memory_per_cpu_mb = 100}, {node}, rules));
  EXPECT_FALSE(place({.tasks = 7, .memory_per_cpu_mb = 100}, {node}, rules));  // 8 CPUs
  rules.unit = CpuUnit::Cpu;
  EXPECT_TRUE(place({.tasks = 7, .memory_per_cpu_mb = 100}, {node}, rules));
}

TEST(Placement, MemoryCountsOnlyWhereItIsConsumable) {
  std::vector<Free> free{{.node = {1}, .cpus = 8, .cpus_total = 8, .memory_mb = 100}};
  EXPECT_TRUE(place({.memory_per_node_mb = 200}, free, {}));
  EXPECT_FALSE(place({.memory_per_node_mb = 200}, free, {.memory_counts = true}));
  EXPECT_EQ(place({.tasks = 2, .memory_per_cpu_mb = 30}, free, {.memory_counts = true})
                ->nodes.front()
                .memory_mb,
            60u);
}

// Nodes with 2 sockets of 2 cores with 2 threads, of which slurm.conf keeps some for the system.
NodeSpec kept_node(NodeSpec spec) {
  spec.cpus = 8;
  spec.sockets = spec.cores_per_socket = spec.threads_per_core = 2;
  spec.memory_mb = 1000;
  spec.system_cpus = count_system_cpus(spec);
  return spec;
}
Node empty_node(const NodeSpec& spec) {
  return {.id = {1}, .spec = Ref(spec), .condition = NodeCondition::Up, .responding = true};
}

TEST(Placement, WhatANodeKeepsForTheSystemIsNotGivenAway) {
  Node cores = empty_node(kept_node({.core_spec_count = 1, .mem_spec_limit_mb = 300}));
  EXPECT_EQ(free_when_empty(cores).cpus, 6u);
  EXPECT_EQ(free_now(cores).cpus, 6u);
  EXPECT_EQ(free_now(cores).memory_mb, 700u);
  Node listed = empty_node(kept_node({.cpu_spec_list = "0,1,5"}));  // two cores are touched
  EXPECT_EQ(free_when_empty(listed).cpus_total, 4u);
  Node all = empty_node(kept_node({.core_spec_count = 9, .mem_spec_limit_mb = 2000}));
  EXPECT_EQ(free_now(all).cpus, 0u);
  EXPECT_EQ(free_now(all).memory_mb, 0u);
}

TEST(Placement, AJobMayLeaveMoreCoresToTheSystem) {
  Free node = free_when_empty(empty_node(kept_node({.core_spec_count = 1})));
  auto cpus = [&](std::uint32_t count, bool threads) {
    JobSpec spec{.exclusive = true};
    spec.extras = Ref(JobExtras{.core_spec = count, .thread_spec = threads});
    auto placed = place(spec, {node}, {});
    return placed ? placed->cpus() : 0;
  };
  EXPECT_EQ(cpus(0, false), 6u) << "what the node keeps stays kept";
  EXPECT_EQ(cpus(1, false), 6u);
  EXPECT_EQ(cpus(2, false), 4u);
  EXPECT_EQ(cpus(3, true), 5u);
  EXPECT_EQ(cpus(4, false), 0u);
}

// In a stream of jobs alike a thousand promises would be forgotten with the next thousand jobs.
TEST(PlannerPasses, AQuickOneMakesFewPromises) {
  World cluster({.nodes = 1, .cpus = 4});
  cluster.planner.set_policy(kBackfill);
  JobSpec spec{.tasks = 4};
  spec.time_limit_s = 60;
  cluster.plan();  // everything is new to the first one
  for (int i = 0; i < 100; ++i) cluster.submit(spec);
  Plan quick = cluster.plan({.depth = PlanBudget::Depth::Quick});
  EXPECT_EQ(quick.starts.size(), 1u);
  EXPECT_GE(quick.booked.size(), 1u);
  EXPECT_LT(quick.booked.size(), 50u);
  Plan full = cluster.plan({.depth = PlanBudget::Depth::Full});
  EXPECT_EQ(full.booked.size(), 99u);
}

TEST(PlannerPasses, AFullOneGoesOnAfterAPauseAndIsNotDueMeanwhile) {
  World cluster({.nodes = 2, .cpus = 4});
  cluster.planner.set_policy(kBackfill);
  for (std::uint32_t i = 0; i < 6; ++i) {
    JobSpec spec{.tasks = 8};
    spec.time_limit_s = 60 * (i + 1);
    cluster.submit(spec);
  }
  int asked = 0;
  PlanBudget budget{.depth = PlanBudget::Depth::Full, .pause = [&] { return ++asked > 2; }};
  Plan first = cluster.plan(budget);
  EXPECT_TRUE(first.unfinished);
  EXPECT_TRUE(cluster.planner.is_unfinished());
  EXPECT_EQ(first.starts.size(), 1u);
  EXPECT_EQ(first.booked.size(), 1u);
  EXPECT_EQ(cluster.planner.next_begin(kNow), kNever) << "it is under way";
  for (const Proposal& start : first.starts) cluster.start(start);
  Plan rest = cluster.plan({.depth = PlanBudget::Depth::Full});
  EXPECT_FALSE(rest.unfinished);
  EXPECT_FALSE(cluster.planner.is_unfinished());
  EXPECT_EQ(rest.booked.size(), 4u) << "not what was promised before the pause";
}

// Two partitions that share no node: the policy arranges one after the other.
TEST(PlannerPasses, AFullOneMakesPausesWhileItArrangesAndQuickOnesGoOnMeanwhile) {
  auto cluster_with_queues = [] {
    World cluster({.nodes = 2, .cpus = 4});
    cluster.planner.set_policy(kBestForecast);
    for (std::uint32_t i : {1u, 2u})
      cluster.happen(PartitionDefined{.partition = {i},
                                      .spec = Ref(PartitionSpec{.name = i == 1 ? "p" : "q"}),
                                      .nodes = Ref(std::vector<NodeId>{{i}})});
    for (std::uint32_t limit_s : {600u, 500u, 400u, 60u})
      for (const char* partition : {"p", "q"}) {
        JobSpec spec{.tasks = 4};
        spec.partitions = partition;
        spec.time_limit_s = limit_s;
        cluster.submit(spec);
      }
    cluster.commit(cluster.plan({.depth = PlanBudget::Depth::Quick}));
    return cluster;
  };
  auto end_in_q = [](World& cluster) {
    std::vector<JobId> running;
    cluster.state.jobs.for_each([&](std::uint64_t, const Job& job) {
      if (job.state == JobState::Running && job.spec->partitions == "q") running.push_back(job.id);
    });
    ASSERT_EQ(running.size(), 1u);
    cluster.end(running.front());
    Plan quick = cluster.plan({.depth = PlanBudget::Depth::Quick});
    EXPECT_EQ(quick.starts.size(), 1u) << "what became free is given out";
    cluster.commit(quick);
  };
  World paused = cluster_with_queues(), at_once = cluster_with_queues();
  PlanBudget always{.depth = PlanBudget::Depth::Full, .pause = [] { return true; }};
  Plan first = paused.plan(always);
  EXPECT_TRUE(first.unfinished && !first.quick && first.booked.empty());
  EXPECT_TRUE(paused.planner.is_unfinished());
  end_in_q(paused);
  EXPECT_TRUE(paused.planner.is_unfinished());
  EXPECT_TRUE(paused.plan(always).unfinished) << "the second ground";
  Plan rest = paused.plan({.depth = PlanBudget::Depth::Full});
  EXPECT_FALSE(rest.unfinished || paused.planner.is_unfinished());
  end_in_q(at_once);
  Plan whole = at_once.plan({.depth = PlanBudget::Depth::Full});
  auto starts = [](const Plan& plan) {
    std::map<JobId, Instant> out;
    for (const Booking& one : plan.booked) out[one.job] = one.start;
    return out;
  };
  EXPECT_EQ(starts(rest).size(), 5u);
  EXPECT_EQ(starts(rest), starts(whole));
}

TEST(PlannerPasses, AClockThatIsSetBackDoesNoHarm) {
  World cluster({.nodes = 2, .cpus = 4});
  cluster.planner.set_policy(kBackfill);
  auto submit = [&](std::uint32_t tasks, std::uint32_t limit_s) {
    JobSpec spec{.tasks = tasks};
    spec.time_limit_s = limit_s;
    return cluster.submit(spec);
  };
  submit(6, 86'400);
  Plan first = cluster.plan();
  ASSERT_EQ(first.starts.size(), 1u);
  cluster.start(first.starts.front());
  submit(8, 600);
  cluster.plan();
  cluster.now = cluster.now - std::chrono::hours(2);
  submit(3, 60);
  Plan later = cluster.plan();
  EXPECT_TRUE(later.starts.empty());
  ASSERT_EQ(later.booked.size(), 1u) << "what the other was promised stays";
  EXPECT_GT(later.booked.front().start, cluster.now + std::chrono::hours(24));
}

TEST(Placement, OnlyNodesWithTheSocketsCoresAndThreadsThatAreWantedAreAdmitted) {
  World cluster({.nodes = 1, .cpus = 8});
  cluster.happen(NodesDefined{{{{1}, Ref(kept_node({.name = "n1"}))}}});
  auto admitted = [&](JobExtras extras) {
    JobSpec spec;
    spec.extras = Ref(std::move(extras));
    return admitted_nodes(cluster.state, *cluster.state.find(PartitionId{1}), spec).size();
  };
  EXPECT_EQ(admitted({.sockets_per_node = 2, .cores_per_socket = 2}), 1u);
  EXPECT_EQ(admitted({.sockets_per_node = 3}), 0u);
  EXPECT_EQ(admitted({.cores_per_socket = 3}), 0u);
  EXPECT_EQ(admitted({.binding = {.threads_per_core = 2}}), 1u);
  EXPECT_EQ(admitted({.binding = {.threads_per_core = 3}}), 0u);
}

TEST(Shape, JobsWithOtherWishesForTheirMachinesAreOtherShapes) {
  auto key = [](JobExtras extras) {
    JobSpec spec;
    spec.extras = Ref(std::move(extras));
    return shape_key(spec);
  };
  std::set<std::string> keys = {key({.comment = "x"}), key({.sockets_per_node = 1}),
                                key({.cores_per_socket = 1}), key({.core_spec = 1}),
                                key({.core_spec = 1, .thread_spec = true})};
  EXPECT_EQ(keys.size(), 5u);
}

// With a clock that ticks whenever somebody looks at it.
TEST(Planner, SaysHowDeepItLookedAndWhatItsTimeWentInto) {
  World world({.nodes = 1, .cpus = 4});
  world.submit({.tasks = 4, .time_limit_s = 600});
  world.submit({.tasks = 2, .time_limit_s = 600});
  world.submit({.tasks = 3, .time_limit_s = 600});
  std::int64_t ticks = 0;
  Plan plan = world.plan({.clock = [&] { return std::chrono::nanoseconds(++ticks); }});
  EXPECT_EQ(plan.tally.looked_at, 3u);
  EXPECT_EQ(plan.tally.promised, plan.booked.size());
  EXPECT_EQ(plan.starts.size() + plan.booked.size(), 3u);
  auto took = [&](PlanQuestion one) {
    return plan.tally.took[static_cast<std::size_t>(one)].count();
  };
  EXPECT_EQ(took(PlanQuestion::FitsNow), 3) << "each was asked once";
  EXPECT_EQ(took(PlanQuestion::When), 2);
  EXPECT_EQ(took(PlanQuestion::WhomToPreempt), 0);
  EXPECT_EQ(took(PlanQuestion::WhoseTurn) + 3 + 2, ticks - 1) << "all of it is accounted for";
}

}  // namespace
}  // namespace ym
