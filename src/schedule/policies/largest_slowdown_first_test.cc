// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/policies/replay.h"

namespace ym {
namespace {

using Starts = std::vector<std::int64_t>;

TEST(LargestSlowdownFirst, WhoHasWaitedLongestForItsLengthGoesFirst) {
  EXPECT_EQ(
      replay(kLargestSlowdownFirst, 4, {{0, 4, 100, 100}, {10, 4, 1000, 1000}, {20, 4, 10, 10}}),
      (Starts{0, 110, 100}));
}

}  // namespace
}  // namespace ym
