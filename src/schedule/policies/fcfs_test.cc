// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/policies/replay.h"

namespace ym {
namespace {

using Starts = std::vector<std::int64_t>;

TEST(Fcfs, NobodyPassesABlockedJob) {
  EXPECT_EQ(
      replay(kFcfs, 4, {{0, 3, 100, 100}, {0, 4, 100, 100}, {0, 1, 100, 100}, {0, 1, 50, 50}}),
      (Starts{0, 100, 200, 200}));
}

TEST(Fcfs, WhoCanNeverStartIsInNobodysWay) {
  EXPECT_EQ(replay(kFcfs, 4, {{0, 5, 100, 100}, {0, 4, 100, 100}}), (Starts{-1, 0}));
}

}  // namespace
}  // namespace ym
