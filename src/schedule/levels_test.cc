// SPDX-License-Identifier: Apache-2.0
#include "schedule/levels.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym {
namespace {

Instant at(std::int64_t seconds) { return Instant::from_unix_seconds(seconds); }

Levels one_level(std::int32_t cpus) {
  return {
      .steps = {{.from = at(0), .memory_mb = 100, .cpus = cpus}}, .made = true, .adds_up = true};
}

std::int64_t cpus_at(const Levels& levels, Instant when) {
  std::int64_t cpus = 0;
  for (const Level& level : levels.steps)
    if (level.from <= when) cpus = level.cpus;
  return cpus;
}

TEST(Levels, WhatIsPromisedIsNotFreeFromItsBeginToItsEnd) {
  Levels levels = one_level(8);
  change(levels, {.from = at(10), .to = at(20), .cpus = 3, .memory_mb = 40});
  ASSERT_EQ(levels.steps.size(), 3u);
  EXPECT_EQ(levels.steps[1].from, at(10));
  EXPECT_EQ(levels.steps[1].cpus, 5);
  EXPECT_EQ(levels.steps[1].memory_mb, 60);
  EXPECT_EQ(levels.steps[1].busy, 1u);
  EXPECT_EQ(levels.steps[2].from, at(20));
  EXPECT_EQ(levels.steps[2].cpus, 8);
}

TEST(Levels, APromiseThatIsTakenBackLeavesNothingBehind) {
  Levels levels = one_level(8);
  change(levels, {.from = at(10), .to = at(20), .cpus = 3, .memory_mb = 40});
  change(levels, {.from = at(15), .to = at(20), .cpus = 1});
  change(levels, {.from = at(10), .to = at(20), .cpus = -3, .memory_mb = -40, .busy = -1});
  ASSERT_EQ(levels.steps.size(), 3u);
  EXPECT_EQ(levels.steps[1].from, at(15));
  EXPECT_EQ(levels.steps[1].cpus, 7);
}

TEST(Levels, APromiseWithoutAnEndIsKeptFromAllThatComesLater) {
  Levels levels = one_level(8);
  change(levels, {.from = at(10), .to = kNever, .cpus = 3});
  ASSERT_EQ(levels.steps.size(), 2u);
  EXPECT_EQ(levels.steps[1].cpus, 5);
}

TEST(Levels, APromiseOfBeforeTheFirstLevelCountsFromThereOn) {
  Levels levels = one_level(8);
  levels.steps.front().from = at(100);
  change(levels, {.from = at(10), .to = at(110), .cpus = 3});
  ASSERT_EQ(levels.steps.size(), 2u);
  EXPECT_EQ(levels.steps.front().cpus, 5);
  change(levels, {.from = at(10), .to = at(100), .cpus = 3});
  EXPECT_EQ(levels.steps.size(), 2u) << "it is over";
}

TEST(Levels, TheyAreTheSumOfAllThatWasChanged) {
  Prng prng(7);
  Levels levels = one_level(100);
  std::vector<LevelChange> changes;
  for (int i = 0; i < 200; ++i) {
    if (!changes.empty() && prng.chance(1, 3)) {
      std::size_t taken_back = prng.below(changes.size());
      LevelChange one = changes[taken_back];
      change(levels, {one.from, one.to, -one.cpus, -one.memory_mb, -1});
      changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(taken_back));
    } else {
      std::int64_t from = prng.between(0, 50);
      changes.push_back({at(from), at(from + prng.between(1, 30)), prng.between(1, 9), 1});
      change(levels, changes.back());
    }
    for (std::int64_t when = 0; when < 90; ++when) {
      std::int64_t cpus = 100;
      for (const LevelChange& one : changes)
        if (one.from <= at(when) && at(when) < one.to) cpus -= one.cpus;
      ASSERT_EQ(cpus_at(levels, at(when)), cpus) << "after " << i << " changes, at " << when;
    }
  }
}

}  // namespace
}  // namespace ym
