// SPDX-License-Identifier: Apache-2.0
#include "model/tree_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/prng.h"

namespace ym {
namespace {

constexpr Duration kBudget{10000};

std::vector<NodeAddress> nodes(std::uint32_t count) {
  std::vector<NodeAddress> out;
  for (std::uint32_t n = 1; n <= count; ++n) {
    NodeAddress one;
    one.name = "n" + std::to_string(n);
    out.push_back(std::move(one));
  }
  return out;
}

// A cluster in virtual time, in which some nodes do not answer: at once, or never.
struct Cluster {
  std::set<std::string> refusing, silent, deaf;  // deaf: gets the order, then dies
  std::map<std::string, int> delivered;
  std::size_t calls = 0;

  // All rows of a walk that starts at `now`, and when it was over.
  std::vector<TreeAnswer> walk(std::vector<NodeAddress> whom, std::uint32_t width, Duration& now,
                               Duration budget) {
    Duration begin = now;
    TreeWalk walk(std::move(whom), width, now, budget);
    std::vector<TreeAnswer> rows;
    // Everything in this world happens at `now` or at a deadline. Answers come when their walk is
    // over, which may be later than others' deadlines.
    struct Due {
      std::uint64_t call;
      std::vector<TreeAnswer> rows;
    };
    std::multimap<Duration, Due> due;
    for (int turns = 0; !walk.finished() && turns < 100000; ++turns) {
      for (TreeSend& send : walk.take_sends()) {
        ++calls;
        const std::string& name = send.head.name;
        if (refusing.contains(name)) {
          walk.lost(send.call, "refused", now);
          continue;
        }
        if (silent.contains(name)) continue;
        ++delivered[name];
        walk.greeted(send.call);
        Duration then = now;
        std::vector<TreeAnswer> below = this->walk(send.forward, width, then, send.budget);
        EXPECT_LE(then - now, send.budget);
        if (deaf.contains(name)) continue;
        below.push_back({.node = name, .error = {}, .type = 1, .payload = name});
        due.emplace(then, Due{send.call, std::move(below)});
      }
      if (walk.finished()) break;
      if (walk.has_sends()) continue;
      std::optional<Duration> next = walk.next_deadline();
      if (!due.empty() && (!next || due.begin()->first <= *next)) {
        now = std::max(now, due.begin()->first);
        Due first = std::move(due.begin()->second);
        walk.answered(first.call, std::move(first.rows));
        due.erase(due.begin());
      } else if (next) {
        now = std::max(now, *next);
        walk.tick(now);
      }
      for (TreeAnswer& row : walk.take_rows()) rows.push_back(std::move(row));
    }
    for (TreeAnswer& row : walk.take_rows()) rows.push_back(std::move(row));
    EXPECT_TRUE(walk.finished());
    EXPECT_LE(now - begin, budget);
    return rows;
  }
};

std::multiset<std::string> names(const std::vector<TreeAnswer>& rows) {
  std::multiset<std::string> out;
  for (const TreeAnswer& row : rows) out.insert(row.node);
  return out;
}

std::multiset<std::string> names(const std::vector<NodeAddress>& all) {
  std::multiset<std::string> out;
  for (const NodeAddress& node : all) out.insert(node.name);
  return out;
}

TEST(TreeWalk, EverybodyIsReachedByOneMessageEach) {
  for (std::uint32_t count : {0u, 1u, 2u, 3u, 16u, 17u, 64u, 1000u}) {
    Cluster cluster;
    Duration now{5};
    std::vector<TreeAnswer> rows = cluster.walk(nodes(count), 3, now, kBudget);
    EXPECT_EQ(names(rows), names(nodes(count)));
    EXPECT_EQ(cluster.calls, count);
    EXPECT_EQ(now, Duration(5));
    for (const TreeAnswer& row : rows) EXPECT_EQ(row.payload, row.node);
  }
}

TEST(TreeWalk, TheRootSpeaksToNoMoreThanTheWidth) {
  TreeWalk walk(nodes(1000), 16, Duration(0), kBudget);
  EXPECT_EQ(walk.take_sends().size(), 16u);
}

TEST(TreeWalk, ALostHeadCostsOnlyItself) {
  Cluster cluster;
  cluster.refusing = {"n1"};
  cluster.silent = {"n5"};
  Duration now{0};
  std::vector<TreeAnswer> rows = cluster.walk(nodes(14), 2, now, kBudget);
  ASSERT_EQ(names(rows), names(nodes(14)));
  for (const TreeAnswer& row : rows) {
    std::string expected = row.node == "n1" ? "refused" : "";
    if (row.node == "n5") expected = kTreeNoAnswer;
    EXPECT_EQ(row.error, expected) << row.node;
  }
}

TEST(TreeWalk, WhateverIsRefusedEveryOneElseIsReached) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Prng prng(seed);
    std::uint32_t count = static_cast<std::uint32_t>(prng.below(200) + 1);
    std::uint32_t width = static_cast<std::uint32_t>(prng.below(8) + 1);
    Cluster cluster;
    for (const NodeAddress& node : nodes(count))
      if (prng.below(4) == 0) cluster.refusing.insert(node.name);
    Duration now{0};
    std::vector<TreeAnswer> rows = cluster.walk(nodes(count), width, now, kBudget);
    ASSERT_EQ(names(rows), names(nodes(count))) << seed;
    for (const TreeAnswer& row : rows)
      EXPECT_EQ(!row.error.empty(), cluster.refusing.contains(row.node)) << seed << row.node;
  }
}

TEST(TreeWalk, ASlowHeadHasItsChanceWhileItsNodesAreAskedByOthers) {
  TreeWalk walk(nodes(6), 2, Duration(0), kBudget);
  std::vector<TreeSend> sends = walk.take_sends();
  ASSERT_EQ(sends.size(), 2u);
  EXPECT_EQ(sends[0].head.name, "n1");
  walk.greeted(sends[1].call);
  Duration now = *walk.next_deadline();
  EXPECT_EQ(now, kBudget / 4);
  EXPECT_TRUE(walk.tick(now).empty());
  std::vector<TreeSend> again = walk.take_sends();
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].head.name, "n2");
  EXPECT_EQ(again[1].head.name, "n3");
  // It wakes up, and answers for all that it was given: it counts for itself.
  auto row = [](const char* node, const char* error) {
    return TreeAnswer{.node = node, .error = error};
  };
  walk.answered(sends[0].call, {row("n1", ""), row("n2", "twice"), row("n3", "twice")});
  walk.answered(again[0].call, {row("n2", "")});
  walk.answered(again[1].call, {row("n3", "")});
  walk.answered(sends[1].call, {row("n4", ""), row("n5", ""), row("n6", "")});
  EXPECT_TRUE(walk.finished());
  std::vector<TreeAnswer> rows = walk.take_rows();
  EXPECT_EQ(names(rows), names(nodes(6)));
  for (const TreeAnswer& one : rows) EXPECT_EQ(one.error, "") << one.node;
}

// Time is what silence costs: with a few silent nodes everybody else is still reached in time.
TEST(TreeWalk, EveryNodeGetsOneRowWhateverIsLost) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Prng prng(seed);
    std::uint32_t count = static_cast<std::uint32_t>(prng.below(100) + 1);
    std::uint32_t width = static_cast<std::uint32_t>(prng.below(6) + 2);
    Cluster cluster;
    std::set<std::string> bad;
    for (const NodeAddress& node : nodes(count)) {
      auto fate = prng.below(60);
      if (fate == 0) cluster.refusing.insert(node.name);
      if (fate == 1) cluster.silent.insert(node.name);
      if (fate == 2) cluster.deaf.insert(node.name);
      if (fate <= 2) bad.insert(node.name);
    }
    Duration now{0};
    std::vector<TreeAnswer> rows = cluster.walk(nodes(count), width, now, kBudget);
    ASSERT_EQ(names(rows), names(nodes(count))) << seed;
    for (const TreeAnswer& row : rows) {
      if (bad.contains(row.node)) {
        EXPECT_FALSE(row.error.empty()) << seed << row.node;
      } else if (!row.error.empty()) {
        // Not told of, but then it had its order.
        EXPECT_GT(cluster.delivered[row.node], 0) << seed << row.node << row.error;
      }
    }
  }
}

TEST(TreeWalk, WithoutTimeNobodyIsAsked) {
  TreeWalk walk(nodes(3), 2, Duration(7), Duration(0));
  EXPECT_TRUE(walk.take_sends().empty());
  EXPECT_TRUE(walk.finished());
  EXPECT_EQ(names(walk.take_rows()), names(nodes(3)));
}

TEST(TreeWalk, AHeadThatTellsOfOthersOrForgetsSomeIsNotBelieved) {
  TreeWalk walk(nodes(3), 2, Duration(0), kBudget);
  std::vector<TreeSend> sends = walk.take_sends();
  ASSERT_EQ(sends.size(), 2u);
  ASSERT_EQ(sends[0].forward.size(), 1u);
  auto row = [](const char* node) { return TreeAnswer{.node = node}; };
  walk.answered(sends[0].call, {row("n1"), row("n9"), row("n3"), row("n1")});
  walk.answered(sends[0].call, {row("n2")});
  walk.answered(sends[1].call, {row("n3")});
  std::vector<TreeAnswer> rows = walk.take_rows();
  EXPECT_EQ(names(rows), names(nodes(3)));
  for (const TreeAnswer& one : rows) EXPECT_EQ(one.error.empty(), one.node != "n2");
  EXPECT_TRUE(walk.finished());
}

}  // namespace
}  // namespace ym
