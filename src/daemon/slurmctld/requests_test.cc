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

}  // namespace
}  // namespace ym
