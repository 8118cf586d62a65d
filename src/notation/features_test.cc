// SPDX-License-Identifier: Apache-2.0
#include "notation/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::HasSubstr;

bool admits(std::string_view text, std::string_view features) {
  auto expression = FeatureExpression::parse(text);
  EXPECT_TRUE(expression) << text << ": " << expression.error().text;
  return expression && expression->admits(features);
}

TEST(Features, ANodeMustHaveWhatTheExpressionSays) {
  EXPECT_TRUE(admits("", "x"));
  EXPECT_TRUE(admits("a", "x,a"));
  EXPECT_FALSE(admits("a", "aa,xa"));
  EXPECT_TRUE(admits("a&b", "b,a"));
  EXPECT_FALSE(admits("a,b", "a"));
  EXPECT_TRUE(admits("a|b", "b"));
  EXPECT_FALSE(admits("(a|b)&c", "a"));
  EXPECT_TRUE(admits("(a|b)&c", "b,c"));
  EXPECT_TRUE(admits("a&(b|(c&d))", "a,c,d"));
}

TEST(Features, OperatorsApplyFromLeftToRight) {
  EXPECT_FALSE(admits("a|b&c", "a"));
  EXPECT_TRUE(admits("a|b&c", "a,c"));
  EXPECT_TRUE(admits("a|(b&c)", "a"));
}

TEST(Features, CountsAreAboutSomeNodesOnly) {
  auto expression = FeatureExpression::parse("a*2&b*1&c");
  ASSERT_TRUE(expression);
  ASSERT_EQ(expression->choices.size(), 1u);
  const FeatureChoice& choice = expression->choices.front();
  ASSERT_EQ(choice.counted.size(), 2u);
  EXPECT_EQ(choice.counted[0].nodes, 2u);
  EXPECT_EQ(choice.every.size(), 1u);
  EXPECT_FALSE(choice.distinct);
  EXPECT_TRUE(expression->admits("c"));
}

TEST(Features, BracketsAreAlternativesForAllNodes) {
  auto expression = FeatureExpression::parse("x&[a|b|(c&d)]");
  ASSERT_TRUE(expression);
  EXPECT_EQ(expression->choices.size(), 3u);
  EXPECT_TRUE(expression->admits("x,c,d"));
  EXPECT_FALSE(expression->admits("a"));
  auto counted = FeatureExpression::parse("[a*2&b*4]");
  ASSERT_TRUE(counted);
  ASSERT_EQ(counted->choices.size(), 1u);
  EXPECT_TRUE(counted->choices.front().distinct);
  EXPECT_EQ(counted->choices.front().counted.size(), 2u);
  EXPECT_EQ(counted->names, (std::vector<std::string>{"a", "b"}));
}

TEST(Features, SaysWhatIsWrong) {
  auto why = [](std::string_view text) {
    auto expression = FeatureExpression::parse(text);
    return expression ? std::string("accepted") : expression.error().text;
  };
  EXPECT_THAT(why("a&"), HasSubstr("a feature is missing"));
  EXPECT_THAT(why("a||b"), HasSubstr("a feature is missing"));
  EXPECT_THAT(why("(a"), HasSubstr("not closed"));
  EXPECT_THAT(why("[a"), HasSubstr("not closed"));
  EXPECT_THAT(why("a)"), HasSubstr("unexpected"));
  EXPECT_THAT(why("a*"), HasSubstr("count"));
  EXPECT_THAT(why("a*0"), HasSubstr("count"));
  EXPECT_THAT(why("a*2|b"), HasSubstr("need brackets"));
  EXPECT_THAT(why("[[a]]"), HasSubstr("nested"));
  EXPECT_THAT(why("(a*2)"), HasSubstr("within parentheses"));
  EXPECT_THAT(why("[a|b&c]"), HasSubstr("mix"));
  EXPECT_THAT(why("a b"), HasSubstr("unexpected"));
  EXPECT_THAT(why(std::string(30, '(') + "a"), HasSubstr("too many"));
  std::string many = "[a|b|c|d|e|f|g|h|i]";
  EXPECT_THAT(why(many + "&" + many + "&" + many), HasSubstr("too many alternatives"));
}

}  // namespace
}  // namespace ym
