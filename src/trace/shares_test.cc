// SPDX-License-Identifier: Apache-2.0
#include "trace/shares.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

TEST(Shares, HalfOfWhatWasUsedIsForgottenAfterTheHalfLife) {
  Shares shares({{"ada", ""}, {"bob", ""}}, std::chrono::hours(1));
  shares.add(0, 4, 0);
  shares.add(0, -4, 10);
  double used = shares.usage(0, 10);
  EXPECT_NEAR(used, 40, 0.1);
  EXPECT_NEAR(shares.usage(0, 10 + 3600), used / 2, 1e-9);
  EXPECT_NEAR(shares.usage(0, 10 + 7200), used / 4, 1e-9);
  EXPECT_EQ(shares.usage(1, 7200), 0);
}

TEST(Shares, WithoutAHalfLifeNothingIs) {
  Shares shares({{"ada", ""}}, Duration(0));
  shares.add(0, 2, 100);
  EXPECT_EQ(shares.usage(0, 1100), 2000);
}

TEST(Shares, WhoUsesLessHasTheHigherFactor) {
  Shares shares({{"ada", ""}, {"bob", ""}}, std::chrono::hours(1));
  shares.add(0, 4, 0);
  shares.add(1, 1, 0);
  ShareTable table = shares.table(100);
  EXPECT_GT(table.factor("", "bob"), table.factor("", "ada"));
  // Ada has stopped long ago.
  shares.add(0, -4, 100);
  table = shares.table(100 + 20 * 3600);
  EXPECT_LT(table.factor("", "bob"), table.factor("", "ada"));
}

TEST(Shares, AccountsAreComparedBeforeTheirUsers) {
  Shares shares({{"ada", "physics"}, {"bob", "physics"}, {"eve", "law"}}, std::chrono::hours(1));
  shares.add(0, 8, 0);  // ada
  shares.add(2, 1, 0);  // eve
  ShareTable table = shares.table(100);
  EXPECT_GT(table.factor("law", "eve"), table.factor("physics", "bob"));
  EXPECT_GT(table.factor("physics", "bob"), table.factor("physics", "ada"));
  EXPECT_EQ(table.factor("", "ada"), 0);
}

}  // namespace
}  // namespace ym::trace
