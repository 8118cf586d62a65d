// SPDX-License-Identifier: Apache-2.0
#include "model/tree.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

std::vector<std::size_t> sizes(std::size_t nodes, std::uint32_t width) {
  std::vector<NodeAddress> all(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) all[n].node = NodeId{n};
  std::vector<std::size_t> out;
  std::uint32_t next = 0;
  for (const auto& part : tree_parts(all, width)) {
    out.push_back(part.size());
    for (const NodeAddress& node : part) EXPECT_EQ(node.node, NodeId{next++});
  }
  EXPECT_EQ(next, nodes) << "everybody is in one part";
  return out;
}

TEST(Tree, PartsAreEvenAndLoseNobody) {
  EXPECT_EQ(sizes(10, 3), (std::vector<std::size_t>{4, 3, 3}));
  EXPECT_EQ(sizes(9, 3), (std::vector<std::size_t>{3, 3, 3}));
  EXPECT_EQ(sizes(1000, 16).size(), 16u);
}

TEST(Tree, FewNodesAreAPartEach) {
  EXPECT_EQ(sizes(2, 16), (std::vector<std::size_t>{1, 1}));
  EXPECT_TRUE(sizes(0, 16).empty());
  EXPECT_EQ(sizes(40, 0).size(), kTreeWidthDefault);
}

}  // namespace
}  // namespace ym
