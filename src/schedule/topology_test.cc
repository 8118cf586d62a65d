// SPDX-License-Identifier: Apache-2.0
#include "schedule/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/prng.h"
#include "model/apply.h"
#include "schedule/choose.h"
#include "schedule/topology_windows.h"

namespace ym {
namespace {

using Numbers = std::vector<std::uint32_t>;

Hostlist hosts(const char* text) { return *Hostlist::parse(text); }

// Nodes n1 … of one cpu each.
State with_nodes(std::uint32_t count) {
  State state;
  NodesDefined defined;
  for (std::uint32_t i = 1; i <= count; ++i)
    defined.nodes.push_back({NodeId{i}, Ref(NodeSpec{.name = fmt::format("n{}", i)})});
  apply(state, {.seq = {1}, .at = {}, .body = std::move(defined)});
  return state;
}

// Four leaves of four nodes, two to a switch, one above all.
Topology tree() {
  Topology out{.name = "t", .kind = TopologyKind::Tree, .cluster_default = true};
  for (std::uint32_t i = 0; i < 4; ++i)
    out.switches.push_back(
        {.name = fmt::format("s{}", i),
         .members = hosts(fmt::format("n[{}-{}]", 4 * i + 1, 4 * i + 4).c_str())});
  out.switches.push_back({.name = "left", .level = 1, .switches = hosts("s[0-1]")});
  out.switches.push_back({.name = "right", .level = 1, .switches = hosts("s[2-3]")});
  out.switches.push_back({.name = "top", .level = 2, .switches = hosts("left,right")});
  return out;
}

Topology blocks(std::vector<std::uint32_t> sizes) {
  Topology out{.name = "b", .kind = TopologyKind::Block, .block_sizes = std::move(sizes)};
  for (std::uint32_t i = 0; i < 4; ++i)
    out.blocks.push_back({.name = fmt::format("b{}", i),
                          .nodes = hosts(fmt::format("n[{}-{}]", 4 * i + 1, 4 * i + 4).c_str())});
  return out;
}

Numbers arranged(const Topology& topology, std::uint32_t nodes, const Numbers& taken = {},
                 const GroupWish& wish = {}) {
  NodeGroups groups = make_groups(topology, with_nodes(16));
  std::vector<Candidate> candidates;
  for (std::uint32_t i = 1; i <= 16; ++i)
    if (std::ranges::find(taken, i) == taken.end())
      candidates.push_back({.free = {.node = {i}, .cpus = 1}, .capacity = 1});
  Numbers out;
  for (std::uint32_t place :
       arrange(groups, candidates, {.nodes_min = nodes, .tasks = nodes}, wish))
    out.push_back(candidates[place].free.node.value);
  std::ranges::sort(out);
  return out;
}

TEST(Topology, AJobGetsTheLowestSwitchThatHasEnough) {
  EXPECT_EQ(arranged(tree(), 3), (Numbers{1, 2, 3}));
  EXPECT_EQ(arranged(tree(), 4, {1, 6}), (Numbers{9, 10, 11, 12}));
  EXPECT_EQ(arranged(tree(), 6, {1, 6}), (Numbers{2, 3, 4, 5, 7, 8}));
  EXPECT_EQ(arranged(tree(), 7, {1, 6}), (Numbers{9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(arranged(tree(), 9).size(), 9u);
  EXPECT_EQ(arranged(tree(), 17), Numbers{});
}

TEST(Topology, OfSeveralSwitchesTheTightestIsTaken) {
  EXPECT_EQ(arranged(tree(), 2, {5, 6, 9}), (Numbers{7, 8}));
  // Two full leaves of the right side rather than three broken ones of the left.
  EXPECT_EQ(arranged(tree(), 5, {1, 2, 3, 9}), (Numbers{4, 5, 6, 7, 8}));
}

TEST(Topology, ALimitOfSwitchesIsKept) {
  EXPECT_EQ(arranged(tree(), 5, {}, {.leaves_max = 2}).size(), 5u);
  EXPECT_EQ(arranged(tree(), 5, {}, {.leaves_max = 1}), Numbers{});
  EXPECT_EQ(arranged(tree(), 4, {1, 5, 9, 13}, {.leaves_max = 1}), Numbers{});
}

TEST(Topology, NetworksThatAreNotConnectedAreNotMixed) {
  Topology islands = tree();
  islands.switches.pop_back();
  EXPECT_EQ(arranged(islands, 8).size(), 8u);
  EXPECT_EQ(arranged(islands, 9), Numbers{});
}

TEST(Topology, ANodeBehindNoSwitchIsAlone) {
  Topology part = tree();
  part.switches[3].members = hosts("n[13-15]");
  EXPECT_EQ(arranged(part, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), Numbers{16});
  EXPECT_EQ(arranged(part, 16), Numbers{});
}

TEST(Topology, AJobStaysWithinOneBlockAndWaitsForIt) {
  EXPECT_EQ(arranged(blocks({4, 8}), 3, {1, 2}), (Numbers{5, 6, 7}));
  EXPECT_EQ(arranged(blocks({4, 8}), 4, {1, 5, 9, 13}), (Numbers{2, 3, 4, 6}));
  // Without larger blocks it waits for one of the small ones.
  EXPECT_EQ(arranged(blocks({4}), 4, {1, 5, 9, 13}), Numbers{});
  // What is larger than every block takes several.
  EXPECT_EQ(arranged(blocks({4}), 5, {1, 5, 9, 13}).size(), 5u);
}

TEST(Topology, SegmentsAreWholeWithinTheirBlocks) {
  EXPECT_EQ(arranged(blocks({4, 8}), 4, {1, 2, 5, 6, 9, 10, 13, 14}, {.segment = 2}),
            (Numbers{3, 4, 7, 8}));
  EXPECT_EQ(arranged(blocks({4}), 6, {1, 5}, {.segment = 3}), (Numbers{2, 3, 4, 6, 7, 8}));
  EXPECT_EQ(arranged(blocks({4}), 4, {}, {.segment = 2}), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(arranged(blocks({4}), 4, {}, {.segment = 2, .segments_apart = true}),
            (Numbers{1, 2, 5, 6}));
  EXPECT_EQ(arranged(blocks({4}), 6, {1, 5, 9, 10, 13, 14}, {.segment = 3}),
            (Numbers{2, 3, 4, 6, 7, 8}));
  EXPECT_EQ(arranged(blocks({4, 8}), 4, {1, 2, 3, 7, 8, 9, 12, 13, 14, 15}, {.segment = 2}),
            (Numbers{5, 6, 10, 11}));
  EXPECT_EQ(arranged(blocks({4, 8}), 4, {1, 2, 3, 7, 8, 9, 12, 13, 14, 15},
                     {.segment = 2, .segments_together = true}),
            Numbers{});
}

Topology rings() {
  Topology out{.name = "r", .kind = TopologyKind::Ring};
  out.rings.push_back({.name = "r0", .nodes = hosts("n[1-6]")});
  out.rings.push_back({.name = "r1", .nodes = hosts("n[7-16]")});
  return out;
}

TEST(Topology, AJobGetsAnArcOfARingWhichMayGoRoundItsEnd) {
  EXPECT_EQ(arranged(rings(), 3), (Numbers{1, 2, 3}));
  EXPECT_EQ(arranged(rings(), 3, {2, 3, 4}), (Numbers{1, 5, 6}));
  EXPECT_EQ(arranged(rings(), 7), (Numbers{7, 8, 9, 10, 11, 12, 13}));
  EXPECT_EQ(arranged(rings(), 11), Numbers{});
  // Six are free, but no three of them beside each other.
  EXPECT_EQ(arranged(rings(), 3, {1, 4, 7, 10, 13, 16}), Numbers{});
}

TEST(Topology, OfSeveralArcsTheTightestIsTaken) {
  EXPECT_EQ(arranged(rings(), 2, {1, 4, 7, 11}), (Numbers{2, 3}));
  EXPECT_EQ(arranged(rings(), 3, {1, 4, 7, 11}), (Numbers{8, 9, 10}));
  EXPECT_EQ(arranged(rings(), 4, {1, 4, 7, 11}), (Numbers{12, 13, 14, 15}));
}

TEST(Topology, SegmentsAreArcsOnAnyRing) {
  EXPECT_EQ(arranged(rings(), 9, {4, 5, 6}, {.segment = 3}),
            (Numbers{1, 2, 3, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(arranged(rings(), 9, {4, 5, 6}, {.leaves_max = 1, .segment = 3}), Numbers{});
  EXPECT_EQ(arranged(rings(), 12, {4, 5, 6}, {.segment = 4}), Numbers{});
}

// 4 × 4 × 1 cells; boxes of 2 × 1, 2 × 2 and all.
Topology torus() {
  TopologyTorus one{.name = "pod", .size = {4, 4, 1}};
  for (std::uint32_t i = 1; i <= 16; ++i) one.nodes.push_back(fmt::format("n{}", i));
  for (TorusCell size : {TorusCell{2, 1, 1}, TorusCell{2, 2, 1}, TorusCell{4, 4, 1}})
    one.placements.push_back({.size = size, .seed = {}, .spacing = size});
  return {.name = "t", .kind = TopologyKind::Torus, .tori = {one}};
}

TEST(Topology, AJobGetsABoxOfATorusOrNothing) {
  EXPECT_EQ(arranged(torus(), 4), (Numbers{1, 2, 5, 6}));
  EXPECT_EQ(arranged(torus(), 16).size(), 16u);
  EXPECT_EQ(arranged(torus(), 4, {1, 3, 9, 11}), Numbers{});
  // There is none of three: it gets the next larger one.
  EXPECT_EQ(arranged(torus(), 3, {1}), (Numbers{3, 4, 7, 8}));
}

TEST(Topology, OfSeveralBoxesTheOneIsTakenThatBreaksTheLeast) {
  EXPECT_EQ(arranged(torus(), 2, {11, 12}), (Numbers{15, 16}));
  EXPECT_EQ(arranged(torus(), 8, {}, {.segment = 4}), (Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(arranged(torus(), 4, {1, 3, 9}, {.segment = 2}), (Numbers{5, 6, 7, 8}));
}

TEST(Topology, BoxesOfATorusGoRoundItsEndIfTheirCornersAreThere) {
  Topology shifted = torus();
  shifted.tori[0].placements = {{.size = {2, 2, 1}, .seed = {3, 3, 0}, .spacing = {4, 4, 1}}};
  EXPECT_EQ(arranged(shifted, 4), (Numbers{1, 4, 13, 16}));
}

TEST(Topology, WhatBreaksUpTheNetworkIsCounted) {
  auto score = [](const Topology& topology, const Numbers& chosen, const Numbers& taken) {
    std::vector<NodeId> nodes;
    for (std::uint32_t node : chosen) nodes.push_back({node});
    return fragmentation(make_groups(topology, with_nodes(16)), nodes, [&](NodeId node) {
      return std::ranges::find(taken, node.value) == taken.end();
    });
  };
  EXPECT_EQ(score(blocks({4}), {1, 2, 3, 4}, {}), 0u);      // all of a block
  EXPECT_EQ(score(blocks({4}), {1, 2, 3}, {}), 1u);         // a block is broken
  EXPECT_EQ(score(blocks({4}), {1, 2, 3}, {4}), 0u);        // it was broken before
  EXPECT_EQ(score(blocks({4}), {1, 2, 5, 6}, {4, 8}), 1u);  // one block would have done
  EXPECT_EQ(score(blocks({4}), {1, 2, 5, 6}, {}), 3u);      // and both were whole
  EXPECT_EQ(score(torus(), {1, 2}, {16}), 1u);              // a box of four
  EXPECT_EQ(score(torus(), {1, 2}, {5, 16}), 0u);
}

// Whatever is free: what is chosen is enough, is free, and lies within the lowest group possible.
TEST(Topology, OnRandomStatesWhatIsChosenSufficesAndNoLowerGroupWould) {
  Prng prng(7);
  NodeGroups groups = make_groups(tree(), with_nodes(16));
  for (int round = 0; round < 3000; ++round) {
    Numbers taken;
    for (std::uint32_t i = 1; i <= 16; ++i)
      if (prng.chance(1, 2)) taken.push_back(i);
    auto nodes = static_cast<std::uint32_t>(1 + prng.below(10));
    Numbers got = arranged(tree(), nodes, taken);
    auto free_under = [&](std::uint32_t group) {
      std::uint32_t count = 0;
      for (std::uint32_t i = 1; i <= 16; ++i) {
        std::uint32_t at = groups.leaf_of({i});
        while (at != group && at != NodeGroups::kNone) at = groups.groups[at].parent;
        count += at == group && std::ranges::find(taken, i) == taken.end();
      }
      return count;
    };
    std::uint32_t best = 99;
    for (std::uint32_t group = 0; group < groups.groups.size(); ++group)
      if (free_under(group) >= nodes) best = std::min(best, groups.groups[group].level);
    ASSERT_EQ(got.empty(), best == 99);
    if (got.empty()) continue;
    ASSERT_EQ(got.size(), nodes);
    for (std::uint32_t node : got) ASSERT_EQ(std::ranges::count(taken, node), 0);
    std::set<std::uint32_t> ancestors;
    for (std::uint32_t node : got) {
      std::uint32_t at = groups.leaf_of({node});
      for (std::uint32_t level = 0; level < best; ++level) at = groups.groups[at].parent;
      ancestors.insert(at);
    }
    ASSERT_EQ(ancestors.size(), 1u);
  }
}

}  // namespace
}  // namespace ym
