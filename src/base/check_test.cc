// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(CheckDeathTest, ABrokenInvariantSaysWhichAndWhereBeforeItEndsTheProgram) {
  int answer = 41;
  EXPECT_DEATH(YM_CHECK(answer == 42), "check_test.cc:[0-9]+: broken invariant: answer == 42");
}

TEST(CheckTest, ATruthCostsNothing) {
  int evaluated = 0;
  YM_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace ym
