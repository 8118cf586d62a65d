// SPDX-License-Identifier: Apache-2.0
#include "shepherd/replay.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/prng.h"
#include "net/frame.h"

namespace ym {
namespace {

constexpr std::uint16_t kType = 205;

std::string drain(Replay& replay) {
  std::string bytes;
  while (!replay.all_sent()) {
    std::string_view part = replay.pending();
    bytes += part;
    replay.sent(part.size());
  }
  return bytes;
}
std::vector<Frame> frames(std::string_view bytes) {
  FrameReader reader;
  std::vector<Frame> found;
  EXPECT_TRUE(reader.feed(bytes, found));
  return found;
}
// Every message unlike every other, and of its own size.
std::string message(std::uint64_t number, std::size_t size) {
  std::string text = std::to_string(number);
  text.resize(std::max(size, text.size()), static_cast<char>('a' + number % 26));
  return text;
}

TEST(Replay, NumbersMessagesFromOne) {
  Replay replay;
  replay.push(kType, "a");
  replay.push(kType, "b");
  auto got = frames(drain(replay));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].header.correlation, 1u);
  EXPECT_EQ(got[1].header.correlation, 2u);
  EXPECT_EQ(got[1].payload, "b");
}

TEST(Replay, SendsAgainWhatTheOtherSideDidNotReceive) {
  Replay replay;
  replay.push(kType, "a");
  replay.push(kType, "b");
  replay.push(kType, "c");
  drain(replay);
  replay.rewind(1);
  auto got = frames(drain(replay));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].payload, "b");
}

TEST(Replay, AMessageCanBeWrittenInPlace) {
  Replay replay;
  replay.push(kType, "before");
  auto room = replay.begin();
  ASSERT_GE(room.size(), kMessageRoomMin);
  std::memcpy(room.data(), "in place", 8);
  replay.end(kType, 8);
  EXPECT_EQ(frames(drain(replay)).at(1).payload, "in place");
}

TEST(Replay, WithoutAFileItSaysWhenItIsFull) {
  Replay replay;
  std::uint64_t pushed = 0;
  while (replay.has_room()) replay.push(kType, message(++pushed, kMessageRoomMin));
  EXPECT_EQ(replay.memory_segments(), kMemorySegments);
  EXPECT_LT(replay.unsent_bytes(), kMemorySegments * kSegmentSize);
  // What must be said can be said all the same.
  replay.push(kType, message(++pushed, kSegmentSize - 100));
  EXPECT_EQ(frames(drain(replay)).size(), pushed);
  EXPECT_FALSE(replay.has_room()) << "nothing is confirmed yet";
  replay.confirm(pushed);
  EXPECT_TRUE(replay.has_room());
}

TEST(Replay, WhatDoesNotFitIntoMemoryWaitsInAFileAndLeavesNoneBehind) {
  Replay replay(::testing::TempDir());
  std::uint64_t pushed = 0;
  for (; pushed < 2'000;) replay.push(kType, message(++pushed, 30'000));
  EXPECT_LE(replay.memory_segments(), kMemorySegments);
  EXPECT_GT(replay.file_bytes(), 50'000'000u);
  EXPECT_TRUE(replay.backlog_in_file());
  FrameReader reader;
  std::uint64_t received = 0;
  while (!replay.all_sent()) {
    std::string_view part = replay.pending();
    std::vector<Frame> got;
    ASSERT_TRUE(reader.feed(part, got));
    replay.sent(part.size());
    for (const Frame& frame : got) {
      ASSERT_EQ(frame.payload, message(++received, 30'000));
      if (received % 100 == 0) replay.confirm(received);
    }
    ASSERT_LE(replay.memory_segments(), kMemorySegments);
  }
  EXPECT_EQ(received, pushed);
  replay.confirm(received);
  EXPECT_EQ(replay.file_bytes(), 0u);
}

TEST(Replay, TheFileHasABound) {
  Replay replay(::testing::TempDir(), 4 * kSegmentSize);
  std::uint64_t pushed = 0;
  while (replay.has_room()) replay.push(kType, message(++pushed, kMessageRoomMin));
  EXPECT_LE(replay.file_bytes(), 4 * kSegmentSize);
  EXPECT_GT(replay.file_bytes(), 3 * kSegmentSize);
  EXPECT_EQ(frames(drain(replay)).size(), pushed);
}

TEST(Replay, AMessageLargerThanASegmentGoesThrough) {
  Replay replay(::testing::TempDir());
  for (std::uint64_t n = 1; n <= 20; ++n) replay.push(kType, message(n, 3 * kSegmentSize));
  auto got = frames(drain(replay));
  ASSERT_EQ(got.size(), 20u);
  for (std::uint64_t n = 1; n <= 20; ++n)
    EXPECT_EQ(got[n - 1].payload, message(n, 3 * kSegmentSize));
}

// Against the simplest model there is: a list of all messages and a number.
void try_everything(std::uint64_t seed, std::size_t largest, std::uint64_t spill_max) {
  Prng chance(seed);
  Replay replay(::testing::TempDir(), spill_max);
  FrameReader reader;
  std::vector<std::size_t> sizes;
  std::uint64_t received = 0;
  auto receive = [&](std::string_view part) {
    std::vector<Frame> got;
    ASSERT_TRUE(reader.feed(part, got));
    replay.sent(part.size());
    for (const Frame& frame : got) {
      ASSERT_EQ(frame.header.correlation, ++received) << "seed " << seed;
      ASSERT_EQ(frame.payload, message(received, sizes[received - 1])) << "seed " << seed;
    }
  };
  for (int n = 0; n < 400; ++n) {
    switch (chance.below(6)) {
      case 0:
      case 1:
        sizes.push_back(chance.below(largest));
        replay.push(kType, message(sizes.size(), sizes.back()));
        break;
      case 2: replay.confirm(chance.below(received + 1)); break;
      case 3:
        if (!chance.chance(1, 4)) break;
        reader = FrameReader();
        replay.rewind(received);
        break;
      default: receive(replay.pending().substr(0, chance.below(2 * largest)));
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  while (!replay.all_sent()) receive(replay.pending());
  EXPECT_EQ(received, sizes.size());
  EXPECT_EQ(replay.take_lost(), 0u);
  replay.confirm(received);
  EXPECT_EQ(replay.file_bytes(), 0u);
  EXPECT_LE(replay.memory_segments(), 1u);
}

TEST(Replay, WhateverBreaksEveryMessageArrivesOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) try_everything(seed, 40, kSpillMax);
  for (std::uint64_t seed = 1; seed < 60; ++seed) try_everything(seed, 50'000, kSpillMax);
  for (std::uint64_t seed = 1; seed < 30; ++seed) try_everything(seed, 300'000, kSpillMax);
  // With a file that is soon full memory takes what it must.
  for (std::uint64_t seed = 1; seed < 30; ++seed) try_everything(seed, 50'000, 2 * kSegmentSize);
}

}  // namespace
}  // namespace ym
