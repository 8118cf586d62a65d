// SPDX-License-Identifier: Apache-2.0
#include "shepherd/pace.h"

#include <gtest/gtest.h>

#include <string>

namespace ym {
namespace {

constexpr std::uint16_t kType = 205;

void fill_memory(Replay& replay) {
  std::string piece(kMessageRoomMin, 'x');
  while (!replay.would_spill()) replay.push(kType, piece);
}
void read_all(Replay& replay) {
  while (!replay.all_sent()) replay.sent(replay.pending().size());
  replay.confirm(replay.last());
}

TEST(Pace, ReadsFreelyWhileMemoryLasts) {
  Replay replay;
  Pace pace;
  EXPECT_TRUE(pace.may_read(replay, true, Duration(1)));
  EXPECT_FALSE(pace.waiting());
}

TEST(Pace, AQuickReaderSetsItAndNothingGoesToTheFile) {
  Replay replay(::testing::TempDir());
  Pace pace;
  Duration now{1000};
  for (int n = 0; n < 100; ++n) {
    fill_memory(replay);
    EXPECT_FALSE(pace.may_read(replay, true, now)) << n;
    EXPECT_TRUE(pace.waiting());
    read_all(replay);
    EXPECT_TRUE(pace.may_read(replay, true, now));
    now += Duration(2);
  }
  EXPECT_EQ(replay.file_bytes(), 0u);
}

TEST(Pace, AStandingReaderHoldsNobodyUp) {
  Replay replay(::testing::TempDir());
  Pace pace;
  fill_memory(replay);
  EXPECT_FALSE(pace.may_read(replay, true, Duration(1000)));
  EXPECT_FALSE(pace.may_read(replay, true, Duration(1000) + kPaceWindow / 2));
  EXPECT_TRUE(pace.may_read(replay, true, Duration(1000) + kPaceWindow));
  replay.push(kType, std::string(100'000, 'x'));
  fill_memory(replay);
  EXPECT_TRUE(pace.may_read(replay, true, Duration(1001) + kPaceWindow)) << "without another wait";
  read_all(replay);
  EXPECT_TRUE(pace.may_read(replay, true, Duration(1100)));
  fill_memory(replay);
  EXPECT_FALSE(pace.may_read(replay, true, Duration(1100)))
      << "it has caught up, and is asked again";
}

TEST(Pace, AnAbsentReaderIsNotWaitedFor) {
  Replay replay(::testing::TempDir());
  Pace pace;
  fill_memory(replay);
  EXPECT_TRUE(pace.may_read(replay, false, Duration(1000)));
}

TEST(Pace, WithTheFileFullTheTasksWait) {
  Replay replay;
  Pace pace;
  fill_memory(replay);
  EXPECT_FALSE(pace.may_read(replay, false, Duration(1000)));
  EXPECT_FALSE(pace.may_read(replay, true, Duration(2000)));
  EXPECT_FALSE(pace.may_read(replay, true, Duration(3000)));
}

}  // namespace
}  // namespace ym
