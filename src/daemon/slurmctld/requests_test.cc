// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/requests.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

const ReplyTo kTo{.connection = ConnectionId{1}, .correlation = 7};
constexpr std::uint32_t kAda = 1000, kBen = 1001;

TEST(Requests, AnswerEachOnce) {
  Requests requests;
  auto id = requests.open(kTo, {.uid = kAda, .bytes = 10});
  ASSERT_TRUE(id);
  auto to = requests.close(*id);
  ASSERT_TRUE(to);
  EXPECT_EQ(to->correlation, 7u);
  EXPECT_FALSE(requests.close(*id));
}

TEST(Requests, OfOneUserAreBoundedInNumberUntilTheyAreAnswered) {
  Requests requests({.of_one_max = 2});
  auto first = requests.open(kTo, {.uid = kAda, .bytes = 0});
  ASSERT_TRUE(first && requests.open(kTo, {.uid = kAda, .bytes = 0}));
  EXPECT_FALSE(requests.has_room(kAda));
  EXPECT_FALSE(requests.open(kTo, {.uid = kAda, .bytes = 0}));
  EXPECT_TRUE(requests.has_room(kBen)) << "others are not concerned";
  EXPECT_TRUE(requests.open(kTo, {.uid = {}, .bytes = 0})) << "nor is an administrator";
  requests.close(*first);
  EXPECT_TRUE(requests.open(kTo, {.uid = kAda, .bytes = 0}));
}

TEST(Requests, AreBoundedInBytesForOneUserAndForAll) {
  Requests requests({.bytes_of_one_max = 100, .bytes_max = 150});
  auto ada = requests.open(kTo, {.uid = kAda, .bytes = 60});
  ASSERT_TRUE(ada);
  EXPECT_FALSE(requests.open(kTo, {.uid = kAda, .bytes = 60}));
  auto ben = requests.open(kTo, {.uid = kBen, .bytes = 60});
  ASSERT_TRUE(ben);
  EXPECT_FALSE(requests.open(kTo, {.uid = 1002, .bytes = 60})) << "too much in all";
  EXPECT_TRUE(requests.open(kTo, {.uid = 1002, .bytes = 10}));
  requests.close(*ben);
  EXPECT_TRUE(requests.open(kTo, {.uid = 1002, .bytes = 60}));
  requests.close(*ada);
  EXPECT_TRUE(requests.open(kTo, {.uid = kAda, .bytes = 20})) << "what was answered is forgotten";
}

TEST(Requests, ASingleOneMayBeLargerThanAUsersShare) {
  Requests requests({.bytes_of_one_max = 100});
  EXPECT_TRUE(requests.open(kTo, {.uid = kAda, .bytes = 400}));
  EXPECT_FALSE(requests.open(kTo, {.uid = kAda, .bytes = 1}));
}

TEST(Requests, WhoIsFarAheadIsReadAgainWhenHalfIsAnswered) {
  Requests requests({.ahead = 4});
  constexpr ConnectionId kOne{1}, kTwo{2};
  std::vector<RequestId> open;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(requests.hold_back(kOne, kAda));
    open.push_back(*requests.open(kTo, {.uid = kAda, .bytes = 0}));
  }
  EXPECT_TRUE(requests.hold_back(kOne, kAda));
  EXPECT_TRUE(requests.hold_back(kTwo, kAda));
  EXPECT_FALSE(requests.hold_back(kTwo, kBen)) << "others are not concerned";
  EXPECT_FALSE(requests.hold_back(kTwo, {})) << "nor is an administrator";
  requests.close(open[0]);
  EXPECT_TRUE(requests.take_released().empty());
  requests.close(open[1]);
  EXPECT_EQ(requests.take_released(), (std::vector{kOne, kTwo}));
  EXPECT_TRUE(requests.take_released().empty());
}

TEST(Requests, LargeOnesCountByTheirBytesAndWhoIsGoneIsNotHeld) {
  Requests requests({.bytes_ahead = 100});
  auto large = requests.open(kTo, {.uid = kAda, .bytes = 100});
  ASSERT_TRUE(large);
  EXPECT_TRUE(requests.hold_back(ConnectionId{1}, kAda));
  EXPECT_TRUE(requests.hold_back(ConnectionId{2}, kAda));
  requests.forget(ConnectionId{1});
  requests.close(*large);
  EXPECT_EQ(requests.take_released(), (std::vector{ConnectionId{2}}));
}

}  // namespace
}  // namespace ym
