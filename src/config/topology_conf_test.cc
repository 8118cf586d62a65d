// SPDX-License-Identifier: Apache-2.0
#include "config/topology_conf.h"

#include <gtest/gtest.h>

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
        Row{"- topology: t\n  ring: {}\n", "unknown key ring"}}) {
    auto made = parse_topology_yaml("topology.yaml", row.text);
    ASSERT_FALSE(made) << row.text;
    EXPECT_NE(made.error().text.find(row.said), std::string::npos) << made.error().text;
  }
}

}  // namespace
}  // namespace ym
