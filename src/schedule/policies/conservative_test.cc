// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/policies/replay.h"

namespace ym {
namespace {

using Starts = std::vector<std::int64_t>;

TEST(Conservative, NobodyIsDelayedByWhoComesLater) {
  EXPECT_EQ(replay(kConservative, 4,
                   {{0, 3, 100, 100}, {0, 3, 100, 100}, {0, 4, 100, 100}, {0, 1, 300, 300}}),
            (Starts{0, 100, 200, 300}));
}

TEST(Conservative, PromisesMoveForwardWhenSomebodyEndsEarly) {
  EXPECT_EQ(replay(kConservative, 4,
                   {{0, 3, 100, 60}, {0, 4, 100, 100}, {0, 2, 100, 100}, {0, 1, 150, 150}}),
            (Starts{0, 60, 160, 160}));
}

}  // namespace
}  // namespace ym
