// SPDX-License-Identifier: Apache-2.0
#include "config/topology_conf.h"

#include <gtest/gtest.h>

#include "config/topology_torus.h"

namespace ym {
namespace {

Result<Topology> read(const std::string& text) {
  return parse_topology_conf("topology.conf",
                             [&](const std::string&) -> Result<std::string> { return text; });
}

TEST(TopologyConf, ASwitchHasAllNodesBelowItHoweverDeep) {
  auto made = read(
      "SwitchName=top Switches=s[0-1]\n"
      "SwitchName=s0 Nodes=n[0-1] LinkSpeed=10\n"
      "SwitchName=s1 Nodes=n[2-3]\n");
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_EQ(made->switches.size(), 3u);
  EXPECT_EQ(made->switches[0].name, "s0");
  EXPECT_EQ(made->switches[0].link_speed, 10u);
  const TopologySwitch* top = made->find_switch("top");
  ASSERT_TRUE(top);
  EXPECT_EQ(top->level, 1u);
  EXPECT_EQ(top->members.str(), "n[0-3]");
  EXPECT_EQ(top->switches.str(), "s[0-1]");
}

TEST(TopologyConf, BlocksAndTheirSizesAreRead) {
  auto made = read("BlockName=b0 Nodes=n[0-3]\nBlockName=b1 Nodes=n[4-7]\nBlockSizes=4,8\n");
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->find_block("b1")->nodes.str(), "n[4-7]");
  EXPECT_EQ(made->block_sizes, (std::vector<std::uint32_t>{4, 8}));
  EXPECT_FALSE(made->find_block("b2"));
}

TEST(TopologyConf, RingsAreReadInTheirOrder) {
  auto made = read("RingName=r0 Nodes=n[3-4],n1\nRingName=r1 Nodes=n[5-8]\n");
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->kind, TopologyKind::Ring);
  ASSERT_TRUE(made->find_ring("r0"));
  EXPECT_EQ(made->find_ring("r0")->nodes.str(), "n[3-4,1]");
  EXPECT_FALSE(made->find_ring("r2"));
}

TEST(TopologyConf, WhatCannotBeIsRefusedWithItsLine) {
  for (const char* text :
       {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "SwitchName=a Switches=a\n",
        "SwitchName=a Switches=nowhere\n", "SwitchName=a\n", "SwitchName=a Nodes=n1 Switches=b\n",
        "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "BlockName=b Nodes=n[1-\n",
        "BlockName=b Nodes=n1\nBlockName=b Nodes=n2\n", "BlockSizes=0\n", "Colour=red\n"}) {
    auto made = read(text);
    ASSERT_FALSE(made) << text;
    EXPECT_NE(made.error().text.find("topology.conf:"), std::string::npos) << made.error().text;
  }
}

TEST(TopologyYaml, SeveralTopologiesAreRead) {
  auto made = parse_topology_yaml("topology.yaml",
                                  "- topology: fat\n"
                                  "  cluster_default: true\n"
                                  "  tree:\n"
                                  "    switches:\n"
                                  "      - children: s[1-2]\n"
                                  "        switch: top\n"
                                  "      - {switch: s1, nodes: 'n[1-2]'}\n"
                                  "      - {switch: s2, nodes: 'n[3-4]'}\n"
                                  "- topology: cubes\n"
                                  "  block:\n"
                                  "    block_sizes: [2, 4]\n"
                                  "    blocks: [{block: b1, nodes: 'n[1-2]'}]\n"
                                  "- {topology: plain, flat: true}\n");
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_EQ(made->size(), 3u);
  EXPECT_EQ((*made)[0].find_switch("top")->members.str(), "n[1-4]");
  EXPECT_EQ((*made)[1].block_sizes, (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ((*made)[2].kind, TopologyKind::Flat);
  EXPECT_EQ(choose_topology(*made, "")->name, "fat");
  EXPECT_EQ(choose_topology(*made, "cubes")->kind, TopologyKind::Block);
  EXPECT_FALSE(choose_topology(*made, "other"));
}

constexpr const char* kTorus =
    "- topology: t\n"
    "  torus3d:\n"
    "    toruses:\n"
    "      - name: pod\n"
    "        dims: {x: 2, y: 2, z: 2}\n";

TEST(TopologyYaml, RingsAndToriAreRead) {
  auto made = parse_topology_yaml(
      "topology.yaml", std::string(kTorus) +
                           "        regions:\n"
                           "          - {anchor: {x: 0, y: 0, z: 0}, dims: {x: 2, y: 2, z: 1}, "
                           "nodes: 'a[1-4]'}\n"
                           "          - {anchor: {x: 0, y: 1, z: 1}, dims: {x: 2, y: 1, z: 1}, "
                           "nodes: 'b[1-2]'}\n"
                           "        placements:\n"
                           "          - dims: {x: 2, y: 1, z: 1}\n"
                           "          - {dims: {x: 2, y: 2, z: 1}, anchor_seed: {x: 0, y: 1, z: 0},"
                           " anchor_spacing: {x: 1, y: 1, z: 1}}\n"
                           "- {topology: r, ring: {rings: [{ring: r0, nodes: 'n[1-3]'}]}}\n"
                           "- {topology: f, flat: {alpha_step_rank: true}}\n");
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_EQ((*made)[0].tori.size(), 1u);
  const TopologyTorus& torus = (*made)[0].tori[0];
  EXPECT_EQ(torus.nodes, (std::vector<std::string>{"a1", "a2", "a3", "a4", "", "", "b1", "b2"}));
  ASSERT_EQ(torus.placements.size(), 2u);
  EXPECT_EQ(torus.placements[0].spacing, (TorusCell{2, 1, 1}));
  EXPECT_EQ(torus.placements[1].spacing, (TorusCell{1, 1, 1}));
  EXPECT_EQ(torus.placements[1].seed, (TorusCell{0, 1, 0}));
  EXPECT_EQ((*made)[1].kind, TopologyKind::Ring);
  EXPECT_EQ((*made)[2].kind, TopologyKind::Flat);
}

TEST(TopologyYaml, ATorusThatCannotBeIsRefusedWithItsLine) {
  struct Row {
    const char* text;
    const char* said;
  };
  for (const Row& row :
       {Row{"", "topology.yaml:4: a torus has either nodes or regions"},
        Row{"        nodes: n[1-7]\n", "7 nodes for 8 places"},
        Row{"        nodes: n[1-8]\n", "placements are missing"},
        Row{"        nodes: n[1-7],n1\n        placements: [{dims: {x: 1, y: 1, z: 1}}]\n",
            "node n1 is there twice"},
        Row{"        nodes: n[1-8]\n        placements: [{dims: {x: 3, y: 1, z: 1}}]\n",
            "no larger than its torus"},
        Row{"        nodes: n[1-8]\n        placements: [{dims: {x: 1, y: 1}}]\n",
            "dims needs x, y and z"},
        Row{"        nodes: n[1-8]\n        placements: [{dims: {x: 1, y: 0, z: 1}}]\n",
            "dims has an empty side"},
        Row{"        regions: [{anchor: {x: 1, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: "
            "'n[1-2]'}]\n",
            "a region lies within its torus"}}) {
    auto made = parse_topology_yaml("topology.yaml", std::string(kTorus) + row.text);
    ASSERT_FALSE(made) << row.text;
    EXPECT_NE(made.error().text.find(row.said), std::string::npos) << made.error().text;
  }
}

TEST(TopologyYaml, WhatCannotBeIsRefusedWithItsLine) {
  struct Row {
    const char* text;
    const char* said;
  };
  for (const Row& row :
       {Row{"a: b\n", "a list of topologies"},
        Row{"- topology: t\n", "topology.yaml:1: a topology is one of"},
        Row{"- topology: t\n  tree: {switches: [{switch: s}]}\n", "either Nodes or Switches"},
        Row{"- topology: t\n  tree: {switches: [{nodes: n1}]}\n", "switch is missing"},
        Row{"- topology: t\n  flat: true\n- topology: t\n  flat: true\n", "t is there twice"},
        Row{"- topology: t\n  block: {blocks: [], block_sizes: [x]}\n", "x is no size"},
        Row{"- topology: t\n  ring: {}\n", "rings are missing"},
        Row{"- topology: t\n  star: {}\n", "unknown key star"},
        Row{"- topology: t\n  flat: {beta: true}\n", "unknown key beta"}}) {
    auto made = parse_topology_yaml("topology.yaml", row.text);
    ASSERT_FALSE(made) << row.text;
    EXPECT_NE(made.error().text.find(row.said), std::string::npos) << made.error().text;
  }
}

}  // namespace
}  // namespace ym
