// SPDX-License-Identifier: Apache-2.0
#include "schedule/fair_tree.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

Association account(std::size_t parent, const char* name, std::uint32_t shares) {
  return {.parent = parent, .account = name, .user = "", .shares = shares, .usage = 0};
}
Association user(std::size_t parent, const char* name, std::uint32_t shares, double usage) {
  return {.parent = parent, .account = "a", .user = name, .shares = shares, .usage = usage};
}

TEST(FairTree, SharesOverUsageDecideAmongSiblings) {
  // a has 3 of 4 shares and half of the usage, b 1 of 4 and the other half.
  auto found = fair_tree({account(kNoParent, "root", 1), user(0, "a", 3, 50), user(0, "b", 1, 50)});
  EXPECT_DOUBLE_EQ(found[1].level, 1.5);
  EXPECT_DOUBLE_EQ(found[2].level, 0.5);
  EXPECT_DOUBLE_EQ(found[1].factor, 1.0);
  EXPECT_DOUBLE_EQ(found[2].factor, 0.5);
}

TEST(FairTree, EverybodyOfTheBetterAccountGoesBeforeEverybodyOfTheOther) {
  // physics used 20 of 100 for half of the shares: 2.5; biology 80: 0.625. The greedy user of
  // physics goes before the modest one of biology.
  auto found =
      fair_tree({account(kNoParent, "root", 1), account(0, "physics", 1), account(0, "biology", 1),
                 user(1, "greedy", 1, 19), user(1, "modest", 1, 1), user(2, "other", 1, 79),
                 user(2, "small", 1, 1)});
  EXPECT_DOUBLE_EQ(found[1].level, 2.5);
  EXPECT_DOUBLE_EQ(found[2].level, 0.625);
  EXPECT_DOUBLE_EQ(found[4].factor, 4.0 / 4);  // modest
  EXPECT_DOUBLE_EQ(found[3].factor, 3.0 / 4);  // greedy
  EXPECT_DOUBLE_EQ(found[6].factor, 2.0 / 4);  // small
  EXPECT_DOUBLE_EQ(found[5].factor, 1.0 / 4);  // other
}

TEST(FairTree, WhoUsedNothingIsFirstAndUsersAlikeShareARank) {
  auto found = fair_tree(
      {account(kNoParent, "root", 1), user(0, "a", 1, 0), user(0, "b", 1, 0), user(0, "c", 1, 10)});
  EXPECT_TRUE(found[1].level > 1e300);
  EXPECT_DOUBLE_EQ(found[1].factor, 1.0);
  EXPECT_DOUBLE_EQ(found[2].factor, 1.0);
  EXPECT_DOUBLE_EQ(found[3].factor, 1.0 / 3);
}

TEST(FairTree, ChildrenOfAccountsAlikeAreComparedAsSiblings) {
  // Both accounts used half of all for half of the shares each.
  auto found = fair_tree({account(kNoParent, "root", 1), account(0, "a", 1), account(0, "b", 1),
                          user(1, "a1", 1, 40), user(1, "a2", 1, 10), user(2, "b1", 1, 30),
                          user(2, "b2", 1, 20)});
  EXPECT_DOUBLE_EQ(found[4].factor, 4.0 / 4);  // a2: half of the shares, a fifth of the usage
  EXPECT_DOUBLE_EQ(found[6].factor, 3.0 / 4);  // b2
  EXPECT_DOUBLE_EQ(found[5].factor, 2.0 / 4);  // b1
  EXPECT_DOUBLE_EQ(found[3].factor, 1.0 / 4);  // a1
}

TEST(FairTree, OfAUserAndAnAccountAlikeTheAccountsFirstUserHasTheUsersRank) {
  auto found = fair_tree({account(kNoParent, "root", 1), user(0, "u", 1, 50), account(0, "a", 1),
                          user(2, "a1", 1, 10), user(2, "a2", 1, 40)});
  EXPECT_DOUBLE_EQ(found[1].factor, 1.0);
  EXPECT_DOUBLE_EQ(found[3].factor, 1.0);
  EXPECT_DOUBLE_EQ(found[4].factor, 1.0 / 3);
}

TEST(FairTree, ATableAnswersByAccountAndUser) {
  ShareTable table({account(kNoParent, "root", 1), user(0, "x", 1, 5), user(0, "y", 1, 1)});
  EXPECT_DOUBLE_EQ(table.factor("a", "y"), 1.0);
  EXPECT_DOUBLE_EQ(table.factor("a", "x"), 0.5);
  EXPECT_DOUBLE_EQ(table.factor("a", "nobody"), 0);
  EXPECT_TRUE(fair_tree({}).empty());
}

}  // namespace
}  // namespace ym
