// SPDX-License-Identifier: Apache-2.0
#include "schedule/grounds.h"

#include <gtest/gtest.h>

#include "schedule/world_for_test.h"

namespace ym {
namespace {

TEST(Grounds, PartitionsThatShareNodesAreOneAndOthersAreMachinesOfTheirOwn) {
  World world({.nodes = 6, .cpus = 4});  // one partition of all
  auto define = [&](std::uint32_t id, const char* name, std::vector<NodeId> nodes) {
    world.happen(PartitionDefined{.partition = {id},
                                  .spec = Ref(PartitionSpec{.name = name}),
                                  .nodes = Ref(std::move(nodes))});
  };
  define(1, "p", {{1}, {2}});
  define(2, "q", {{3}});
  define(3, "r", {{2}, {4}});
  define(4, "empty", {});
  Book book;
  book.rebuild(world.state);
  Grounds grounds = Grounds::of(book);
  ASSERT_EQ(grounds.of_pool.size(), 4u);
  auto ground = [&](std::uint32_t id) { return grounds.of_pool[*book.pool_of({id})]; };
  EXPECT_EQ(ground(1), ground(3));
  EXPECT_NE(ground(1), ground(2));
  EXPECT_EQ(grounds.all[ground(1)].nodes, 3) << "the shared one is counted once";
  EXPECT_EQ(grounds.all[ground(1)].cpus, 12);
  EXPECT_EQ(grounds.all[ground(2)].cpus, 4);
  EXPECT_EQ(grounds.all[ground(4)].nodes, 0);
}

}  // namespace
}  // namespace ym
