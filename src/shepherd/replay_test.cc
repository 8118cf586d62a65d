// SPDX-License-Identifier: Apache-2.0
#include "shepherd/replay.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"
#include "net/frame.h"

namespace ym {
namespace {

std::string drain(Replay& replay) {
  std::string bytes;
  while (!replay.all_sent()) {
    bytes += replay.pending();
    replay.sent(replay.pending().size());
  }
  return bytes;
}
std::vector<Frame> frames(std::string_view bytes) {
  FrameReader reader;
  std::vector<Frame> found;
  EXPECT_TRUE(reader.feed(bytes, found));
  return found;
}

TEST(Replay, NumbersMessagesFromOne) {
  Replay replay;
  replay.push(205, "a");
  replay.push(205, "b");
  auto got = frames(drain(replay));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].header.correlation, 1u);
  EXPECT_EQ(got[1].header.correlation, 2u);
  EXPECT_EQ(got[1].payload, "b");
}

TEST(Replay, SendsAgainWhatTheOtherSideDidNotReceive) {
  Replay replay;
  replay.push(205, "a");
  replay.push(205, "b");
  replay.push(205, "c");
  drain(replay);
  EXPECT_EQ(replay.rewind(1), 0u);
  auto got = frames(drain(replay));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].payload, "b");
}

TEST(Replay, GivesUpTheOldestWhenNothingIsConfirmedAndSaysHowMany) {
  Replay replay;
  std::string big(300'000, 'x');
  for (int n = 0; n < 6; ++n) replay.push(205, big);
  drain(replay);
  EXPECT_EQ(replay.rewind(0), 3u);
  EXPECT_EQ(frames(drain(replay)).front().header.correlation, 4u);
}

TEST(Replay, WhateverBreaksEveryMessageArrivesOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    Prng chance(seed);
    Replay replay;
    FrameReader reader;
    std::uint64_t received = 0, pushed = 0;
    for (int n = 0; n < 400; ++n) {
      switch (chance.below(4)) {
        case 0: replay.push(205, std::to_string(++pushed)); break;
        case 1: replay.confirm(chance.below(received + 1)); break;
        case 2:
          if (!chance.chance(1, 4)) break;
          reader = FrameReader();
          ASSERT_EQ(replay.rewind(received), 0u);
          break;
        default: {
          auto part = replay.pending().substr(0, chance.below(40));
          std::vector<Frame> got;
          ASSERT_TRUE(reader.feed(part, got));
          replay.sent(part.size());
          for (const Frame& frame : got) {
            ASSERT_EQ(frame.header.correlation, received + 1);
            ASSERT_EQ(frame.payload, std::to_string(++received));
          }
        }
      }
    }
    std::vector<Frame> rest;
    ASSERT_TRUE(reader.feed(drain(replay), rest));
    EXPECT_EQ(received + rest.size(), pushed);
    EXPECT_EQ(replay.unsent_bytes(), 0u);
  }
}

}  // namespace
}  // namespace ym
