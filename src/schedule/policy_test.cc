// SPDX-License-Identifier: Apache-2.0
#include "schedule/policy.h"

#include <gtest/gtest.h>

#include <set>

namespace ym {
namespace {

TEST(Score, ComparesFractionsExactly) {
  EXPECT_GT((Score{.over = 1, .under = 3}), (Score{.over = 333'333, .under = 1'000'000}));
  EXPECT_EQ((Score{.over = 2, .under = 6}), (Score{.over = 1, .under = 3}));
  EXPECT_GT((Score{.rank = 1}), (Score{.rank = 0, .over = 9'000'000'000'000'000'000, .under = 1}));
  EXPECT_LT((Score{.over = -5}), (Score{}));
}

TEST(Policies, AreFoundByTheirNamesWhichDiffer) {
  std::set<std::string_view> names;
  for (const Policy* one : policies()) {
    EXPECT_EQ(find_policy(one->name), one);
    EXPECT_TRUE(names.insert(one->name).second);
    EXPECT_FALSE(one->summary.empty());
  }
  EXPECT_EQ(find_policy("none"), nullptr);
  EXPECT_TRUE(names.contains(default_policy().name));
}

}  // namespace
}  // namespace ym
