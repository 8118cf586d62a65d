// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/standby.h"

#include <gtest/gtest.h>

#include "daemon/slurmctld/roles.h"

namespace ym {
namespace {

TakeoverClock clock_of(std::size_t index) {
  return TakeoverClock({.name = "b", .index = index, .lease_time = Duration(4000)});
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
  EXPECT_FALSE(clock.look(gone, Duration(900)));
  EXPECT_TRUE(clock.look(gone, Duration(1000)));
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
