// SPDX-License-Identifier: Apache-2.0
#include "notation/dependency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym {
namespace {

using testing::HasSubstr;

std::string canonical(std::string_view text) {
  auto parsed = Dependency::parse(text);
  return parsed ? parsed->str() : parsed.error().text;
}

TEST(Dependency, PrintsOneJobInEachTerm) {
  for (auto [text, printed] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"afterok:12:13,afterany:14", "afterok:12,afterok:13,afterany:14"},
           {"afterok:12?afternotok:13", "afterok:12?afternotok:13"},
           {"after:7+10:8", "after:7+10,after:8"},
           {"after:7+0", "after:7"},
           {"afterok:1+5,afterany:2", "afterok:1+5,afterany:2"},
           {"afterok:1_2(failed),afterany:2(unfulfilled)", "afterok:1_2(failed),afterany:2"},
           {"singleton(unfulfilled)", "singleton"},
           {"AfterCorr:5_3:6_*", "aftercorr:5_3,aftercorr:6_*"},
           {"singleton", "singleton"},
           {"singleton,afterburstbuffer:1", "singleton,afterburstbuffer:1"},
           {"123", "afterany:123"}})
    EXPECT_EQ(canonical(text), printed) << text;
}

TEST(Dependency, EachTermIsShownWithItsOwnState) {
  auto dependency = Dependency::parse("afterok:1(failed)?afternotok:2_*+5?singleton");
  ASSERT_TRUE(dependency);
  EXPECT_EQ(dependency->shown(),
            "afterok:1(failed)?afternotok:2_*+5(unfulfilled)?singleton(unfulfilled)");
}

TEST(Dependency, AnyMeansThatOneTermIsEnough) {
  EXPECT_TRUE(Dependency::parse("afterok:1?afterok:2")->any);
  EXPECT_FALSE(Dependency::parse("afterok:1,afterok:2")->any);
  EXPECT_FALSE(Dependency::parse("afterok:1:2")->any);
}

TEST(Dependency, SaysWhatIsWrong) {
  EXPECT_THAT(canonical("afterok:1,afterok:2?afterok:3"), HasSubstr("',' and '?' cannot be mixed"));
  EXPECT_THAT(canonical("afterko:1"),
              HasSubstr("\"afterko\" is no kind of dependency, did you mean afterok?"));
  EXPECT_THAT(canonical("afterok"), HasSubstr("afterok names no job"));
  EXPECT_THAT(canonical("expand:7"), HasSubstr("expand is obsolete"));
  EXPECT_THAT(canonical("afterok:"), HasSubstr("\"\" is no job"));
  EXPECT_THAT(canonical("afterok:0"), HasSubstr("\"0\" is no job"));
  EXPECT_THAT(canonical("afterok:1_"), HasSubstr("is no job"));
  EXPECT_THAT(canonical("afterok:1_9999999"), HasSubstr("is no job"));
  EXPECT_THAT(canonical("singleton:1"), HasSubstr("singleton names no job"));
  EXPECT_THAT(canonical("afterok:1,"), HasSubstr("\"\" is no kind"));
  EXPECT_THAT(canonical("afterok:4294967296"), HasSubstr("is no job"));
  std::string many = "afterok";
  for (int i = 0; i < 1025; ++i) many += ":1";
  EXPECT_THAT(canonical(many), HasSubstr("more than 1024 jobs"));
  many = "singleton";
  for (int i = 0; i < 1025; ++i) many += ",singleton";
  EXPECT_THAT(canonical(many), HasSubstr("more than 1024 jobs"));
}

TEST(Dependency, EveryDependencyComesBackFromItsText) {
  Prng prng(1);
  for (int round = 0; round < 10000; ++round) {
    Dependency wanted;
    for (std::uint64_t i = prng.below(5); i > 0; --i) {
      Dependency::Term term{.kind = static_cast<Dependency::Kind>(prng.below(8))};
      if (term.kind == Dependency::Kind::Expand) continue;  // is refused
      if (term.kind != Dependency::Kind::Singleton) {
        term.job = static_cast<std::uint32_t>(1 + prng.below(0xffffffff));
        if (prng.chance(1, 3))
          term.task = static_cast<std::uint32_t>(prng.below(4'000'000));
        else
          term.whole_array = prng.chance(1, 3);
        term.delay_minutes = static_cast<std::uint32_t>(prng.below(20));
        term.failed = prng.chance(1, 4);
      }
      wanted.terms.push_back(term);
    }
    wanted.any = wanted.terms.size() > 1 && prng.chance(1, 2);
    ASSERT_EQ(Dependency::parse(wanted.str()), wanted) << wanted.str();
  }
}

}  // namespace
}  // namespace ym
