// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/policies/replay.h"

namespace ym {
namespace {

using Starts = std::vector<std::int64_t>;

TEST(EasySjbf, TheShortestOfThoseThatMayPassGoesFirst) {
  EXPECT_EQ(
      replay(kEasySjbf, 4, {{0, 3, 100, 100}, {0, 4, 100, 100}, {0, 1, 100, 100}, {0, 1, 50, 50}}),
      (Starts{0, 100, 200, 0}));
}

}  // namespace
}  // namespace ym
