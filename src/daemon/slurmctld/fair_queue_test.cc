// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/fair_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::ElementsAre;

constexpr Duration kNoWait{0};

TEST(FairQueue, ServesUsersInTurnHoweverMuchOneOfThemAsks) {
  FairQueue<int> queue(100, 50);
  for (int i = 10; i < 15; ++i) EXPECT_TRUE(queue.try_push(1, int(i)));
  EXPECT_TRUE(queue.try_push(2, 20));
  EXPECT_TRUE(queue.try_push(3, 30));
  EXPECT_TRUE(queue.try_push(3, 31));
  EXPECT_THAT(queue.take(4, kNoWait), ElementsAre(10, 20, 30, 11));
  EXPECT_THAT(queue.take(100, kNoWait), ElementsAre(31, 12, 13, 14));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(FairQueue, LetsCommonThingsGoFirstButNotAlone) {
  FairQueue<int> queue(100, 50);
  for (int i = 0; i < 6; ++i) queue.push(int(i));
  EXPECT_TRUE(queue.try_push(1, 10));
  EXPECT_THAT(queue.take(4, kNoWait), ElementsAre(0, 1, 10, 2));
  EXPECT_THAT(queue.take(4, kNoWait), ElementsAre(3, 4, 5));
}

TEST(FairQueue, RefusesTheUserWhoseLaneIsFullAndNobodyElse) {
  FairQueue<int> queue(10, 2);
  EXPECT_TRUE(queue.try_push(1, 1));
  EXPECT_TRUE(queue.try_push(1, 2));
  EXPECT_FALSE(queue.has_room(1));
  EXPECT_FALSE(queue.try_push(1, 3));
  EXPECT_TRUE(queue.has_room(2));
  EXPECT_TRUE(queue.try_push(2, 4));
  EXPECT_TRUE(queue.try_push(std::nullopt, 5));
  EXPECT_EQ(queue.take(100, kNoWait).size(), 4u);
  EXPECT_TRUE(queue.try_push(1, 6)) << "what was taken makes room";
}

TEST(FairQueue, RefusesEverybodyWhenItIsFullExceptOurOwnThreads) {
  FairQueue<int> queue(3, 3);
  for (std::uint32_t uid : {1u, 2u, 3u}) EXPECT_TRUE(queue.try_push(uid, 0));
  EXPECT_FALSE(queue.try_push(4, 0));
  EXPECT_FALSE(queue.try_push(std::nullopt, 0));
  queue.push(7);
  EXPECT_EQ(queue.size(), 4u);
  queue.close();
  EXPECT_EQ(queue.take(100, std::chrono::seconds(60)).size(), 4u);
  EXPECT_FALSE(queue.try_push(1, 0));
}

TEST(FairQueue, WithOneUsersLaneFullAnotherUserIsServedNext) {
  FairQueue<int> queue(1000, 100);
  int sent = 0;
  while (queue.try_push(1, int(sent))) ++sent;
  EXPECT_EQ(sent, 100);
  EXPECT_TRUE(queue.try_push(2, -1));
  EXPECT_THAT(queue.take(1, kNoWait), ElementsAre(0));
  EXPECT_THAT(queue.take(1, kNoWait), ElementsAre(-1));
  EXPECT_TRUE(queue.try_push(1, 100));
}

TEST(FairQueue, WakesWhoeverWaitsThoughThereIsNothing) {
  FairQueue<int> queue(10, 10);
  queue.wake();
  EXPECT_TRUE(queue.take(1, std::chrono::hours(1)).empty());
}

}  // namespace
}  // namespace ym
