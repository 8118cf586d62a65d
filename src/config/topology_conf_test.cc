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

}  // namespace
}  // namespace ym
