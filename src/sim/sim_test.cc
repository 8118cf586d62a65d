// SPDX-License-Identifier: Apache-2.0
// The simulator itself: it is content with what ships, repeats itself, and notices planted bugs.
#include <gtest/gtest.h>

#include "sim/run.h"
#include "sim/scenario.h"

namespace ym::sim {
namespace {

constexpr std::uint64_t kSeedsToCatch = 25;

TEST(Simulation, EveryPromiseIsKeptInTheFirstSeeds) {
  for (std::uint64_t seed = 1; seed <= kSeedsToCatch; ++seed)
    EXPECT_EQ(run({.seed = seed}).failure, "") << "yardmaster-sim --seed " << seed;
}

TEST(Simulation, TheSameSeedGivesTheSameRun) {
  for (std::uint64_t seed : {1, 2, 3, 42, 1000}) {
    RunResult first = run({.seed = seed}), second = run({.seed = seed});
    EXPECT_EQ(first.hash, second.hash) << seed;
    EXPECT_EQ(first.steps, second.steps) << seed;
    EXPECT_EQ(first.trail, second.trail) << seed;
  }
}

TEST(Simulation, UnlikeSeedsGiveUnlikeRuns) {
  EXPECT_NE(run({.seed = 1}).hash, run({.seed = 2}).hash);
}

TEST(Simulation, FaultsReallyHappen) {
  RunResult sum;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunResult one = run({.seed = seed});
    sum.controller_crashes += one.controller_crashes;
    sum.node_crashes += one.node_crashes;
    sum.processes += one.processes;
  }
  EXPECT_GT(sum.controller_crashes, 5u);
  EXPECT_GT(sum.node_crashes, 5u);
  EXPECT_GT(sum.processes, 50u);
}

class PlantedBug : public testing::TestWithParam<Bug> {};

TEST_P(PlantedBug, IsNoticedWithinAFewSeeds) {
  for (std::uint64_t seed = 1; seed <= kSeedsToCatch; ++seed)
    if (!run({.seed = seed, .bug = GetParam()}).failure.empty()) return;
  FAIL() << "no checker noticed " << name_of(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBug, testing::ValuesIn(kBugs), [](const auto& info) {
  std::string name(name_of(info.param));
  std::erase(name, '-');
  return name;
});

TEST(Bugs, HaveNamesThatCanBeTyped) {
  for (Bug bug : kBugs) EXPECT_EQ(bug_named(name_of(bug)), bug);
  EXPECT_EQ(bug_named("nonsense"), std::nullopt);
}

TEST(Scenario, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(rewritten("jump\n----\n"), "jump\n----\nunknown command: jump\n");
}

TEST(Scenario, ReplacesWhatWasExpected) {
  std::string text =
      "node n1 cpus=1\npartition p nodes=n1\nconfigure\nnodes\n----\nwrong\n\nnodes\n----\n";
  EXPECT_EQ(rewritten(text),
            "node n1 cpus=1\npartition p nodes=n1\nconfigure\nnodes\n----\nn1 idle 0/1\n\n"
            "nodes\n----\nn1 idle 0/1\n");
}

}  // namespace
}  // namespace ym::sim
