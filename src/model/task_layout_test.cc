// SPDX-License-Identifier: Apache-2.0
#include "model/task_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/prng.h"

namespace ym {
namespace {

// "0,1|2,3": the ranks of each node.
std::string laid_out(const char* distribution, std::vector<std::uint32_t> rooms,
                     std::uint32_t tasks) {
  auto ranks = lay_out(Distribution::parse(distribution).value(), rooms, tasks);
  if (!ranks) return "does not fit";
  std::string out;
  for (std::size_t i = 0; i < ranks->size(); ++i) {
    if (i > 0) out += '|';
    for (std::size_t n = 0; n < (*ranks)[i].size(); ++n)
      out += fmt::format("{}{}", n ? "," : "", (*ranks)[i][n]);
  }
  return out;
}

TEST(TaskLayout, BlockGivesNeighboursOneNode) {
  EXPECT_EQ(laid_out("block", {2, 2}, 4), "0,1|2,3");
  EXPECT_EQ(laid_out("", {2, 2}, 4), "0,1|2,3");
  // Three nodes of two CPUs, four tasks: no node stays empty.
  EXPECT_EQ(laid_out("block", {2, 2, 2}, 4), "0,1|2|3");
  EXPECT_EQ(laid_out("block", {8, 8}, 6), "0,1,2|3,4,5");
  EXPECT_EQ(laid_out("block", {4, 2}, 6), "0,1,2,3|4,5");
  EXPECT_EQ(laid_out("block", {1, 5, 2}, 7), "0|1,2,3,4|5,6");
  EXPECT_EQ(laid_out("block", {2, 2}, 5), "does not fit");
}

TEST(TaskLayout, CyclicDealsTasksOut) {
  EXPECT_EQ(laid_out("cyclic", {2, 2}, 4), "0,2|1,3");
  EXPECT_EQ(laid_out("cyclic", {2, 2, 2}, 4), "0,3|1|2");
  EXPECT_EQ(laid_out("cyclic", {1, 3}, 4), "0|1,2,3");
}

TEST(TaskLayout, PlaneDealsBlocksOut) {
  EXPECT_EQ(laid_out("plane=2", {4, 4}, 6), "0,1,4,5|2,3");
  EXPECT_EQ(laid_out("plane=4", {8, 8, 8}, 21),
            "0,1,2,3,12,13,14,15|4,5,6,7,16,17,18,19|8,9,10,11,20");
  EXPECT_EQ(laid_out("plane=2", {1, 4}, 4), "0|1,2,3");
  EXPECT_EQ(laid_out("plane=4", {4, 4}, 4), "0,1,2|3") << "no node is left out";
  EXPECT_EQ(laid_out("plane=2", {4, 0, 4, 4}, 4), "0,1||2|3");
}

TEST(TaskLayout, PackFillsNodeAfterNode) {
  EXPECT_EQ(laid_out("block,Pack", {4, 4, 4}, 7), "0,1,2,3|4,5|6");
  EXPECT_EQ(laid_out("block,NoPack", {4, 4, 4}, 7), "0,1,2|3,4|5,6");
}

TEST(TaskLayout, EveryRankStandsOnceAndNoNodeGetsMoreThanItTakes) {
  Prng prng(11);
  for (int round = 0; round < 3000; ++round) {
    static constexpr const char* kKinds[] = {"block", "cyclic", "block,Pack", "plane=2", "plane=3"};
    const char* kind = kKinds[prng.below(5)];
    std::vector<std::uint32_t> rooms;
    for (std::uint64_t n = 1 + prng.below(6); n > 0; --n)
      rooms.push_back(static_cast<std::uint32_t>(prng.below(9)));
    auto total = std::accumulate(rooms.begin(), rooms.end(), 0u);
    auto tasks = static_cast<std::uint32_t>(prng.below(total + 3));
    auto ranks = lay_out(Distribution::parse(kind).value(), rooms, tasks);
    ASSERT_EQ(ranks.has_value(), tasks <= total);
    if (!ranks) continue;
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      EXPECT_LE((*ranks)[i].size(), rooms[i]);
      EXPECT_TRUE(std::ranges::is_sorted((*ranks)[i]));
      all.insert(all.end(), (*ranks)[i].begin(), (*ranks)[i].end());
    }
    auto counts = *task_counts(Distribution::parse(kind).value(), rooms, tasks);
    for (std::size_t i = 0; i < rooms.size(); ++i) EXPECT_EQ(counts[i], (*ranks)[i].size()) << kind;
    std::ranges::sort(all);
    std::vector<std::uint32_t> expected(tasks);
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(all, expected) << kind;
  }
}

TEST(TaskLayout, ManyTasksAreCountedInFewRounds) {
  auto ranks = lay_out({}, {1'000'000, 3, 1'000'000}, 1'500'000).value();
  EXPECT_EQ(ranks[0].size(), 749'999u);
  EXPECT_EQ(ranks[1].size(), 3u);
  EXPECT_EQ(ranks[2].size(), 749'998u);
}

TEST(TaskLayout, ThreadsOfACoreMayStayUnused) {
  NodeShape two_threads{.threads = 2, .sockets = 2};
  TaskNeeds plain, single{.threads_per_core = 1}, wide{.cpus_per_task = 3, .threads_per_core = 1};
  EXPECT_EQ(tasks_that_fit(plain, two_threads, 16), 16u);
  EXPECT_EQ(tasks_that_fit(single, two_threads, 16), 8u);
  EXPECT_EQ(tasks_that_fit(wide, two_threads, 16), 2u);
  EXPECT_EQ(cpus_for(plain, two_threads, 3), 3u);
  EXPECT_EQ(cpus_for(single, two_threads, 3), 6u);
  EXPECT_EQ(cpus_for(wide, two_threads, 2), 12u);
  EXPECT_EQ(tasks_that_fit(single, {.threads = 1}, 4), 4u);
}

TEST(TaskLayout, TasksPerCoreSocketAndNodeAreLimits) {
  NodeShape node{.threads = 2, .sockets = 2};
  EXPECT_EQ(tasks_that_fit({.tasks_per_core = 1}, node, 16), 8u);
  EXPECT_EQ(cpus_for({.tasks_per_core = 1}, node, 3), 6u);
  EXPECT_EQ(tasks_that_fit({.tasks_per_core = 2}, node, 16), 16u);
  EXPECT_EQ(tasks_that_fit({.tasks_per_socket = 3}, node, 16), 6u);
  EXPECT_EQ(tasks_that_fit({.tasks_per_node = 5, .tasks_per_socket = 3}, node, 16), 5u);
}

TEST(TaskLayout, WhatTasksNeedTakesThem) {
  Prng prng(5);
  for (int round = 0; round < 2000; ++round) {
    NodeShape node{.threads = static_cast<std::uint32_t>(1 + prng.below(4))};
    TaskNeeds needs{.cpus_per_task = static_cast<std::uint32_t>(1 + prng.below(5)),
                    .tasks_per_core = static_cast<std::uint32_t>(prng.below(4)),
                    .threads_per_core = static_cast<std::uint32_t>(prng.below(4))};
    auto tasks = static_cast<std::uint32_t>(prng.below(20));
    EXPECT_GE(tasks_that_fit(needs, node, cpus_for(needs, node, tasks)), tasks);
  }
}

TEST(TaskLayout, UnitsAreWhole) {
  NodeShape node{.threads = 2, .sockets = 2, .cores_per_socket = 4};
  EXPECT_EQ(size_of(CpuUnit::Cpu, node), 1u);
  EXPECT_EQ(size_of(CpuUnit::Core, node), 2u);
  EXPECT_EQ(size_of(CpuUnit::Socket, node), 8u);
  EXPECT_EQ(whole_units_in(15, CpuUnit::Cpu, node), 15u);
  EXPECT_EQ(whole_units_in(15, CpuUnit::Core, node), 14u);
  EXPECT_EQ(whole_units_in(15, CpuUnit::Socket, node), 8u);
  EXPECT_EQ(whole_units_for(3, CpuUnit::Core, node), 4u);
  EXPECT_EQ(whole_units_for(9, CpuUnit::Socket, node), 16u);
  EXPECT_EQ(whole_units_for(0, CpuUnit::Socket, node), 0u);
  EXPECT_EQ(whole_units_for(0xffffffff, CpuUnit::Core, node), 0xffffffffu);
}

TEST(TaskLayout, ANodeThatSaysNothingOfCoresHasNoThreads) {
  EXPECT_EQ(shape_of({.cpus = 8}).threads, 1u);
  EXPECT_EQ(shape_of({.cpus = 8, .sockets = 8}).threads, 1u);
}

TEST(TaskLayout, ANodeThatCountsCoresHasNoThreads) {
  EXPECT_EQ(
      shape_of({.cpus = 16, .sockets = 2, .cores_per_socket = 4, .threads_per_core = 2}).threads,
      2u);
  EXPECT_EQ(
      shape_of({.cpus = 8, .sockets = 2, .cores_per_socket = 4, .threads_per_core = 2}).threads,
      1u);
}

}  // namespace
}  // namespace ym
