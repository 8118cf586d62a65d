// SPDX-License-Identifier: Apache-2.0
#include "model/topology.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(TopologyChoice, APartitionsOwnNameCountsElseTheClustersDefault) {
  std::vector<Topology> all{{.name = "racks", .kind = TopologyKind::Block},
                            {.name = "fat", .kind = TopologyKind::Tree, .cluster_default = true}};
  EXPECT_EQ(choose_topology(all, "racks"), &all[0]);
  EXPECT_EQ(choose_topology(all, ""), &all[1]);
  EXPECT_EQ(choose_topology(all, "other"), nullptr);
  EXPECT_EQ(choose_topology({}, ""), nullptr);
}

}  // namespace
}  // namespace ym
