// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/policies/replay.h"

namespace ym {
namespace {

using Starts = std::vector<std::int64_t>;

TEST(Backfill, EveryBlockedJobIsPromisedAStartWithinTheBudget) {
  EXPECT_EQ(replay(kBackfill, 4,
                   {{0, 3, 100, 100}, {0, 3, 100, 100}, {0, 4, 100, 100}, {0, 1, 300, 300}}),
            (Starts{0, 100, 200, 300}));
}

}  // namespace
}  // namespace ym
