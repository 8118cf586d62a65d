// SPDX-License-Identifier: Apache-2.0
#include "net/unread.h"

#include <gtest/gtest.h>

#include "net/test_room.h"

namespace ym {
namespace {

constexpr std::size_t kMega = 1u << 20;

TEST(Unread, CountsForEachUserAndInAll) {
  auto of_all = std::make_shared<Unread::Count>(0);
  Unread ada({}, of_all), ben({}, of_all);
  ada.add(10);
  ben.add(5);
  ada.remove(3);
  EXPECT_EQ(ada.of_one(), 7u);
  EXPECT_EQ(ben.of_one(), 5u);
  EXPECT_EQ(*of_all, 12u);
}

TEST(Unread, ShrinksPortionsWhenMuchIsWaitingAndRefusesWhenTooMuchIs) {
  auto of_all = std::make_shared<Unread::Count>(0);
  UnreadLimits limits{.of_all_max = 80 * kMega, .of_one_max = 16 * kMega};
  Unread ada(limits, of_all), ben(limits, of_all);
  ada.add(3 * kMega);
  EXPECT_EQ(ada.portion(true), Unread::kSmall) << "an eighth of her own limit is waiting";
  EXPECT_EQ(ada.portion(false), SIZE_MAX) << "trusted";
  EXPECT_EQ(ben.portion(true), SIZE_MAX);
  EXPECT_TRUE(ada.may_have(kMega, true));
  ada.add(14 * kMega);
  EXPECT_FALSE(ada.may_have(kMega, true));
  EXPECT_TRUE(ada.may_have(kMega, false));
  EXPECT_TRUE(ada.may_have(Unread::kSmall, true)) << "a connection with little is let be";
  EXPECT_TRUE(ben.may_have(kMega, true));
  EXPECT_EQ(ben.portion(true), Unread::kSmall) << "now it is much in all, too";
  ada.add(80 * kMega);
  EXPECT_FALSE(ben.may_have(kMega, true));
  EXPECT_FALSE(ben.may_have(kMega, false));
}

// Connections that ask and do not read: each could have a frame's worth waiting, together they
// cannot.
TEST(Unread, OneUsersConnectionsAreCutOffBeyondHisLimit) {
  ServerOptions options;
  options.admission.unread = {.of_all_max = 100 * kMega, .of_one_max = 4 * kMega};
  options.trusted = [](const Peer&) { return false; };
  EchoServer echo(std::move(options));
  std::vector<Client> clients;
  std::string payload(3 * kMega, 'x');  // more than a socket takes
  for (int i = 0; i < 4; ++i) {
    clients.push_back(echo.client());
    ASSERT_TRUE(clients.back().send({.type = kEcho}, payload, kPatience));
  }
  ASSERT_TRUE(echo.events.wait([&] { return echo.closed.size() == 2; }));
  for (const auto& [id, why] : echo.closed) EXPECT_EQ(why, "it read too slowly");
}

}  // namespace
}  // namespace ym
