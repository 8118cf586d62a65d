// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/policies/replay.h"

namespace ym {
namespace {

using Starts = std::vector<std::int64_t>;

TEST(Easy, WhoEndsBeforeThePromisedStartPasses) {
  EXPECT_EQ(
      replay(kEasy, 4, {{0, 3, 100, 100}, {0, 4, 100, 100}, {0, 1, 100, 100}, {0, 1, 50, 50}}),
      (Starts{0, 100, 0, 200}));
}

TEST(Easy, WhoLeavesEnoughBesideThePromiseMayRunForLonger) {
  // The third is delayed by the fourth: only the first that is blocked is promised anything.
  EXPECT_EQ(
      replay(kEasy, 4, {{0, 3, 100, 100}, {0, 3, 100, 100}, {0, 4, 100, 100}, {0, 1, 300, 300}}),
      (Starts{0, 100, 300, 0}));
}

TEST(Easy, ALimitOfSecondsIsKeptToTheSecond) {
  EXPECT_EQ(replay(kEasy, 4, {{0, 3, 100, 100}, {0, 4, 9, 9}, {0, 1, 101, 101}}),
            (Starts{0, 100, 109}));
}

}  // namespace
}  // namespace ym
