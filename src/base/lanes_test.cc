// SPDX-License-Identifier: Apache-2.0
#include "base/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ym {
namespace {

using testing::ElementsAre;

std::vector<int> all_of(Lanes<int>& lanes) {
  std::vector<int> taken;
  while (!lanes.empty()) taken.push_back(lanes.take());
  return taken;
}

TEST(Lanes, AreServedInTurnAndKeepTheirOrder) {
  Lanes<int> lanes;
  for (int i = 10; i < 14; ++i) lanes.add(1, int(i));
  lanes.add(2, 20);
  lanes.add(3, 30);
  EXPECT_EQ(lanes.size(), 6u);
  EXPECT_EQ(lanes.size_of(1), 4u);
  EXPECT_EQ(lanes.size_of(4), 0u);
  EXPECT_THAT(all_of(lanes), ElementsAre(10, 20, 30, 11, 12, 13));
}

TEST(Lanes, WhoComesToALaneOfHisOwnWaitsForOneOfEachOther) {
  Lanes<int> lanes;
  for (int i = 0; i < 1000; ++i) lanes.add(1, int(i));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(lanes.take(), i);
  lanes.add(2, -1);
  EXPECT_EQ(lanes.take(), 5);
  EXPECT_EQ(lanes.take(), -1);
  EXPECT_EQ(lanes.take(), 6);
}

TEST(Lanes, AnEmptiedLaneHasNoTurnLeft) {
  Lanes<int> lanes;
  lanes.add(1, 1);
  EXPECT_EQ(lanes.take(), 1);
  lanes.add(2, 2);
  lanes.add(1, 3);
  EXPECT_THAT(all_of(lanes), ElementsAre(2, 3));
  lanes.add(1, 4);
  lanes.clear();
  EXPECT_TRUE(lanes.empty());
  lanes.add(1, 5);
  EXPECT_THAT(all_of(lanes), ElementsAre(5));
}

}  // namespace
}  // namespace ym
