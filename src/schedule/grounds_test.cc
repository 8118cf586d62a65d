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

TEST(Grounds, CpusThatMayBeSharedCountAsOften) {
  World world({.nodes = 2, .cpus = 4},
              {{.name = "p", .oversubscribe = "YES:3"}, {.name = "q", .oversubscribe = "FORCE:2"}});
  Book book;
  book.rebuild(world.state);
  const Ground ground = Grounds::of(book).all.at(0);
  EXPECT_EQ(ground.cpus, 8);
  EXPECT_EQ(ground.room(), 24);
  EXPECT_EQ(ground.room_of(4, 3), 4);
  EXPECT_EQ(ground.room_of(4, 2), 6);
  EXPECT_EQ(ground.room_of(4, 0), 12) << "for itself";
  EXPECT_EQ(Grounds::of(book, true).all.at(0).room(), 8) << "they take turns";
}

}  // namespace
}  // namespace ym
