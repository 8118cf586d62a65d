// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/standby.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "daemon/slurmctld/roles.h"

namespace ym {
namespace {

// After so many others; "a" leads, mostly.
TakeoverClock clock_of(std::size_t others) {
  std::vector<std::string> before = {"a", "x", "y", "z"};
  before.resize(others + 1);
  return TakeoverClock({.name = "b", .before = std::move(before), .lease_time = Duration(4000)});
}
Leadership led_by(std::string name, std::uint64_t beats) {
  return {.epoch = 1, .name = std::move(name), .beats = beats};
}

TEST(TakeoverClock, ALeaderThatIsWellIsLeftAlone) {
  TakeoverClock clock = clock_of(1);
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(clock.look(led_by("a", static_cast<std::uint64_t>(i)), Duration(i * 3000)));
}

TEST(TakeoverClock, SilenceIsMeasuredFromTheLastChangeThatWeSaw) {
  TakeoverClock clock = clock_of(0);
  EXPECT_FALSE(clock.look(led_by("a", 1), Duration(100'000)));  // may have been so for hours
  EXPECT_FALSE(clock.look(led_by("a", 1), Duration(103'900)));
  EXPECT_TRUE(clock.look(led_by("a", 1), Duration(104'000)));
}

TEST(TakeoverClock, TheNextInTheListWaitsALittleLonger) {
  TakeoverClock first = clock_of(1), second = clock_of(2);
  for (TakeoverClock* clock : {&first, &second}) EXPECT_FALSE(clock->look(led_by("a", 1), {}));
  EXPECT_TRUE(first.look(led_by("a", 1), Duration(4500)));
  EXPECT_FALSE(second.look(led_by("a", 1), Duration(4500)));
  EXPECT_TRUE(second.look(led_by("a", 1), Duration(5000)));
}

TEST(TakeoverClock, AProcessThatIsGoneIsNotWaitedForAsLong) {
  TakeoverClock clock = clock_of(0);
  Leadership gone = led_by("a", 1);
  gone.suspect = true;
  EXPECT_FALSE(clock.look(gone, {}));  // a lock that others do not see must not look like that
  EXPECT_FALSE(clock.look(gone, Duration(400)));
  EXPECT_TRUE(clock.look(gone, Duration(500)));
}

TEST(TakeoverClock, OurOwnPredecessorIsNotWaitedFor) {
  TakeoverClock clock = clock_of(3);
  Leadership before = led_by("b", 1);
  EXPECT_FALSE(clock.look(before, {}));
  before.suspect = true;
  EXPECT_TRUE(clock.look(before, Duration(1)));
}

TEST(TakeoverClock, WhereTheHomeEndsLeasesSilenceMeansNothing) {
  TakeoverClock clock = clock_of(0);
  Leadership kept = led_by("a", 1);
  kept.kept_by_home = true;
  EXPECT_FALSE(clock.look(kept, {}));
  EXPECT_FALSE(clock.look(kept, Duration(1'000'000)));
  kept.vacant = true;
  EXPECT_TRUE(clock.look(kept, Duration(1'000'000)));
}

TEST(TakeoverClock, WhoLedIsNotWaitedFor) {
  TakeoverClock next({.name = "b", .before = {"a"}, .lease_time = Duration(4000)});
  EXPECT_FALSE(next.look(led_by("a", 1), {}));
  EXPECT_TRUE(next.look(led_by("a", 1), Duration(4000)));
  TakeoverClock founding({.name = "b", .before = {"a"}, .lease_time = Duration(4000)});
  Leadership nobody{.vacant = true};
  EXPECT_FALSE(founding.look(nobody, {}));
  EXPECT_FALSE(founding.look(nobody, Duration(300)));
  EXPECT_TRUE(founding.look(nobody, Duration(400)));
}

TEST(TakeoverClock, AClosedPortIsASignWhereTheHomeEndsLeases) {
  TakeoverClock clock = clock_of(0);
  Leadership kept = led_by("a", 1);
  kept.kept_by_home = true;
  EXPECT_FALSE(clock.look(kept, {}));
  EXPECT_FALSE(clock.leader_is_late(Duration(1'000'000)));
  kept.suspect = true;
  EXPECT_FALSE(clock.look(kept, Duration(1'000'000)));
  EXPECT_TRUE(clock.leader_is_late(Duration(1'000'000)));
  kept.suspect = false;  // it was only late
  EXPECT_FALSE(clock.look(kept, Duration(1'000'400)));
  kept.suspect = true;
  EXPECT_FALSE(clock.look(kept, Duration(1'000'800)));
  EXPECT_TRUE(clock.look(kept, Duration(1'001'300)));
}

TEST(TakeoverClock, ALeaseOfOurFormerLifeIsNotWaitedFor) {
  TakeoverClock clock = clock_of(2);
  Leadership kept = led_by("b", 1);
  kept.kept_by_home = true;
  EXPECT_TRUE(clock.look(kept, {}));
}

TEST(LeaderProbe, AProcessIsGoneWhenItsPortWasOpenAndIsClosed) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  socklen_t size = sizeof any;
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
  Address address{.host = "127.0.0.1", .port = ntohs(any.sin_port)};
  LeaderProbe probe;
  Duration now{0};
  auto look = [&](std::uint64_t epoch) { return probe.gone(epoch, address, now += Duration(200)); };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(look(1));  // bound, and does not listen yet
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  for (int i = 0; i < 12; ++i) EXPECT_FALSE(look(1));
  listener = Fd();
  bool gone = false;
  for (int i = 0; i < 10 && !gone; ++i) gone = look(1);
  EXPECT_TRUE(gone);
  EXPECT_FALSE(look(2));  // the next leader has not been seen there yet
}

TEST(Roles, AControllerFindsItselfInTheList) {
  ClusterConfig config;
  config.controllers = {{.name = "a", .address = "a"}, {.name = "b", .address = "b"}};
  EXPECT_EQ(*own_index(config, "b"), 1u);
  EXPECT_FALSE(own_index(config, "c"));
  config.controllers.resize(1);
  EXPECT_EQ(*own_index(config, ""), 0u);
}

}  // namespace
}  // namespace ym
