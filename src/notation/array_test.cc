// SPDX-License-Identifier: Apache-2.0
#include "notation/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/prng.h"

namespace ym {
namespace {

using testing::HasSubstr;

IndexSet set(std::string_view text) {
  auto parsed = IndexSet::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().text);
  return parsed ? *parsed : IndexSet{};
}

std::set<std::uint32_t> indices(const IndexSet& set) {
  std::set<std::uint32_t> out;
  std::uint32_t before = 0;
  set.for_each([&](std::uint32_t index) {
    EXPECT_TRUE(out.empty() || index > before) << set.str();
    before = index;
    out.insert(index);
  });
  EXPECT_EQ(out.size(), set.count()) << set.str();
  return out;
}

IndexSet random_set(Prng& prng) {
  std::string text;
  for (std::uint64_t i = 1 + prng.below(5); i > 0; --i) {
    auto first = prng.below(60);
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (prng.chance(1, 2))
      text += "-" + std::to_string(first + prng.below(60));
    else
      continue;
    if (prng.chance(2, 3)) text += ":" + std::to_string(1 + prng.below(7));
  }
  return set(text);
}

TEST(IndexSet, PrintsRanges) {
  for (auto [text, printed] :
       std::vector<std::pair<std::string, std::string>>{{"0", "0"},
                                                        {"0,3,7-9", "0,3,7-9"},
                                                        {"9,8,7,3,0", "0,3,7-9"},
                                                        {"1-100:4", "1-97:4"},
                                                        {"1-3,2-5", "1-5"},
                                                        {"1-10:2,2-10:2", "1-10"},
                                                        {"0,4,8,12", "0-12:4"},
                                                        {"1,7,8,9", "1,7-9"},
                                                        {"1-2", "1-2"},
                                                        {"1-3:2", "1,3"},
                                                        {"5-5", "5"},
                                                        {"5-7:100", "5"},
                                                        {"0-4000001:18446744073709551615", "0"},
                                                        {"3,3,3", "3"},
                                                        {"0-8:2,1-3", "0-4,6,8"},
                                                        {"4000001", "4000001"},
                                                        {"007", "7"}})
    EXPECT_EQ(set(text).str(), printed) << text;
}

TEST(IndexSet, RefusesWhatIsNoSet) {
  auto error = [](std::string_view text) {
    auto parsed = IndexSet::parse(text);
    return parsed ? "parsed as " + parsed->str() : parsed.error().text;
  };
  for (auto text : {"", ",", "1,", "a", "1-", "-1", "1--2", "1:2", "1-5:", "1-5:x", "1-2-3", " 1",
                    "1 ", "0x1", "1:2-3"})
    EXPECT_THAT(error(text), HasSubstr("is no index or range")) << text;
  EXPECT_THAT(error("5-3"), HasSubstr("runs backwards"));
  EXPECT_THAT(error("1-5:0"), HasSubstr("a step of 0"));
  EXPECT_THAT(error("4000002"), HasSubstr("an index is above 4000001"));
  EXPECT_THAT(error(std::string(IndexSet::kTextMax + 1, '1')), HasSubstr("longer than"));
  EXPECT_THAT(error("0-4000000:5,2-4000000:7"), HasSubstr("more than 200000 ranges"));
  std::string overlapping = "0-4000001:2";
  for (int i = 0; i < 20; ++i) overlapping += ",0-4000001:2,1-4000001:3";
  EXPECT_THAT(error(overlapping), HasSubstr("too many ranges overlap"));
}

TEST(IndexSet, AHugeArrayIsOneRun) {
  IndexSet huge = set("0-4000000:2");
  EXPECT_EQ(huge.runs().size(), 1u);
  EXPECT_EQ(huge.count(), 2000001u);
  EXPECT_TRUE(huge.erase(1000));
  EXPECT_FALSE(huge.erase(1000));
  EXPECT_FALSE(huge.erase(1001));
  EXPECT_EQ(huge.str(), "0-998:2,1002-4000000:2");
  EXPECT_TRUE(huge.insert(1000));
  EXPECT_EQ(huge.str(), "0-4000000:2");
  EXPECT_EQ(huge.intersected(set("0-4000000:3")).str(), "0-3999996:6");
  EXPECT_TRUE(huge.intersected(set("1-3999999:2")).empty());
}

TEST(IndexSet, GivesItsIndicesAwayFromTheFront) {
  IndexSet left = set("2-4,9");
  EXPECT_EQ(left.first(), 2u);
  EXPECT_EQ(left.pop_front(), 2u);
  EXPECT_EQ(left.pop_front(), 3u);
  EXPECT_EQ(left.str(), "4,9");
  EXPECT_EQ(left.pop_front(), 4u);
  EXPECT_EQ(left.pop_front(), 9u);
  EXPECT_EQ(left.pop_front(), std::nullopt);
  EXPECT_EQ(left.first(), std::nullopt);
  EXPECT_TRUE(left.empty());
}

TEST(IndexSet, EverySetComesBackFromItsText) {
  Prng prng(1);
  for (int round = 0; round < 5000; ++round) {
    IndexSet a = random_set(prng);
    while (a.count() > 1 && prng.chance(2, 3)) a.erase(static_cast<std::uint32_t>(prng.below(120)));
    if (a.empty()) continue;
    ASSERT_EQ(set(a.str()), a) << a.str();
    ASSERT_EQ(indices(set(a.str())), indices(a));
    ASSERT_EQ(a.min(), *indices(a).begin());
    ASSERT_EQ(a.max(), *indices(a).rbegin());
  }
}

TEST(IndexSet, BehavesAsASetOfNumbers) {
  Prng prng(2);
  for (int round = 0; round < 5000; ++round) {
    IndexSet a = random_set(prng), b = random_set(prng);
    auto s = indices(a), t = indices(b);
    std::set<std::uint32_t> both, only;
    std::ranges::set_intersection(s, t, std::inserter(both, both.end()));
    std::ranges::set_difference(s, t, std::inserter(only, only.end()));
    ASSERT_EQ(indices(a.intersected(b)), both) << a.str() << " " << b.str();
    ASSERT_EQ(indices(a.minus(b)), only) << a.str() << " " << b.str();
    ASSERT_EQ(a == b, s == t);
    for (int i = 0; i < 10; ++i) {
      auto index = static_cast<std::uint32_t>(prng.below(125));
      ASSERT_EQ(a.contains(index), s.contains(index));
      if (prng.chance(1, 2))
        ASSERT_EQ(a.insert(index), s.insert(index).second);
      else
        ASSERT_EQ(a.erase(index), s.erase(index) == 1);
      ASSERT_EQ(indices(a), s);
    }
  }
}

TEST(ArrayExpression, CarriesTheNumberOfTasksThatMayRun) {
  auto array = ArrayExpression::parse("1-3,7%10");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->max_running, 10u);
  EXPECT_EQ(array->str(), "1-3,7%10");
  EXPECT_EQ(ArrayExpression::parse("5")->str(), "5");
  EXPECT_EQ(ArrayExpression::parse("5%0")->str(), "5");
  EXPECT_FALSE(ArrayExpression::parse("5%"));
  EXPECT_FALSE(ArrayExpression::parse("5%x"));
  EXPECT_FALSE(ArrayExpression::parse("%5"));
  EXPECT_FALSE(ArrayExpression::parse("5%4294967296"));
}

TEST(ArrayExpression, LongListsEndInDots) {
  auto array = *ArrayExpression::parse("1,3,6,10,15,21%2");
  EXPECT_EQ(array.str(13), "1,3,6,10,...%2");
  EXPECT_EQ(array.str(12), "1,3,6,10,...%2");
  EXPECT_EQ(array.str(11), "1,3,6,...%2");
  EXPECT_EQ(array.str(15), "1,3,6,10,15,21%2");
  EXPECT_EQ(array.str(14), "1,3,6,10,15,21%2");
  EXPECT_EQ(array.str(3), "...%2");
}

}  // namespace
}  // namespace ym
