// SPDX-License-Identifier: Apache-2.0
#include "config/topology_text.h"

#include <gtest/gtest.h>

#include "config/topology_conf.h"

namespace ym {
namespace {

std::vector<Topology> read(const std::string& text) {
  auto made = parse_topology_yaml("topology.yaml", text);
  EXPECT_TRUE(made) << made.error().text << "\n" << text;
  return made ? *made : std::vector<Topology>();
}

TEST(TopologyText, ATreeReadsAsItWasWritten) {
  auto made = read(
      "- topology: fat\n  cluster_default: true\n  tree:\n    switches:\n"
      "      - {switch: top, children: 's[1-2]', link_speed: 40}\n"
      "      - {switch: s1, nodes: 'n[1-16]'}\n      - {switch: s2, nodes: 'n[17-32]'}\n");
  EXPECT_EQ(topology_yaml(made),
            "---\n- topology: fat\n  cluster_default: true\n  tree:\n    switches:\n"
            "      - switch: s1\n        nodes: 'n[1-16]'\n"
            "      - switch: s2\n        nodes: 'n[17-32]'\n"
            "      - switch: top\n        children: 's[1-2]'\n        link_speed: 40\n");
  EXPECT_EQ(read(topology_yaml(made)), made);
}

TEST(TopologyText, EveryKindIsReadAgainAsTheSame) {
  auto made = read(
      "- {topology: b, block: {block_sizes: [2, 4], blocks: [{block: b1, nodes: 'n[1-2]'},"
      " {block: b2, nodes: 'n[3-4]'}]}}\n"
      "- {topology: r, ring: {rings: [{ring: r0, nodes: 'n[3,1-2]'}]}}\n"
      "- {topology: f, flat: true}\n"
      "- topology: t\n  torus3d:\n    toruses:\n"
      "      - name: full\n        dims: {x: 2, y: 2, z: 1}\n        nodes: 'a[1-4]'\n"
      "        placements:\n          - dims: {x: 2, y: 1, z: 1}\n"
      "      - name: holes\n        dims: {x: 2, y: 2, z: 2}\n        regions:\n"
      "          - {anchor: {x: 0, y: 0, z: 0}, dims: {x: 2, y: 2, z: 1}, nodes: 'c[1-4]'}\n"
      "          - {anchor: {x: 1, y: 1, z: 1}, dims: {x: 1, y: 1, z: 1}, nodes: 'd1'}\n"
      "        placements:\n          - {dims: {x: 2, y: 2, z: 1}, anchor_seed: {x: 0, y: 1, z: 0},"
      " anchor_spacing: {x: 1, y: 1, z: 1}}\n");
  ASSERT_EQ(made.size(), 4u);
  EXPECT_EQ(read(topology_yaml(made)), made) << topology_yaml(made);
}

}  // namespace
}  // namespace ym
