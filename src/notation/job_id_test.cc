// SPDX-License-Identifier: Apache-2.0
#include "notation/job_id.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym {
namespace {

TEST(JobRef, ReadsEveryFormUsersType) {
  for (auto text :
       {"7", "7_3", "7_0", "7_[4-9%2]", "7_[1,3,7-9]", "7_*", "7+1", "7.0", "7.batch", "7.extern",
        "7.interactive", "7_3.0", "7+1.2", "4294967295", "s0000000000001.batch"}) {
    auto ref = JobRef::parse(text);
    ASSERT_TRUE(ref) << text;
    EXPECT_EQ(ref->str(), text);
  }
  JobRef ref = *JobRef::parse("7_3.BATCH");
  EXPECT_EQ(ref.job, 7u);
  EXPECT_EQ(ref.task, 3u);
  EXPECT_EQ(ref.step->kind, StepRef::Kind::Batch);
  EXPECT_EQ(JobRef::parse("7_[4-9%2]")->tasks->max_running, 2u);
  EXPECT_EQ(JobRef::parse("7+1")->component, 1u);
}

TEST(JobRef, RefusesWhatIsNoJob) {
  for (auto text : {"",
                    "0",
                    "x",
                    "-1",
                    "7_",
                    "7_x",
                    "7_[",
                    "7_[]",
                    "7_[1",
                    "7_1]",
                    "7+",
                    "7+x",
                    "7.",
                    "7.x",
                    "7..0",
                    "7 ",
                    "7_3_4",
                    "7_3+1",
                    "7+1_3",
                    "7_4000002",
                    "4294967296",
                    "7_**",
                    "s0000000000000",
                    "_3",
                    ".0"})
    EXPECT_FALSE(JobRef::parse(text)) << text;
  EXPECT_EQ(JobRef::parse("x").error().text, "Invalid job id specified: x");
}

TEST(JobRef, CommasWithinBracketsDoNotSeparate) {
  auto refs = JobRef::parse_list("7,8_[1,2], 9.0,,");
  ASSERT_TRUE(refs);
  ASSERT_EQ(refs->size(), 3u);
  EXPECT_EQ((*refs)[1].str(), "8_[1-2]");
  EXPECT_EQ((*refs)[2].str(), "9.0");
  EXPECT_TRUE(JobRef::parse_list("")->empty());
  EXPECT_FALSE(JobRef::parse_list("7,8_[1,2"));
  EXPECT_FALSE(JobRef::parse_list("7,x"));
  std::string many;
  for (std::size_t i = 0; i <= JobRef::kListMax; ++i) many += "1,";
  EXPECT_FALSE(JobRef::parse_list(many));
}

TEST(Sluid, IsThirteenDigitsInBase32) {
  EXPECT_EQ(encode_sluid(0), "s0000000000000");
  EXPECT_EQ(encode_sluid(31), "s000000000000Z");
  EXPECT_EQ(encode_sluid(32), "s0000000000010");
  EXPECT_EQ(encode_sluid(UINT64_MAX), "sFZZZZZZZZZZZZ");
  EXPECT_EQ(decode_sluid("sfzzzzzzzzzzzz"), UINT64_MAX);
  EXPECT_EQ(decode_sluid("S000000000000z"), 31u);
  for (auto text :
       {"", "s", "s000000000000", "s00000000000000", "sG000000000000", "s000000000000I",
        "s000000000000L", "s000000000000O", "s000000000000U", "x0000000000000", "s00000000000-0"})
    EXPECT_FALSE(decode_sluid(text)) << text;
}

TEST(Sluid, EveryNumberComesBack) {
  Prng prng(1);
  for (int round = 0; round < 20000; ++round) {
    std::uint64_t value = prng.next() >> prng.below(64);
    ASSERT_EQ(decode_sluid(encode_sluid(value)), value);
    ASSERT_GE(encode_sluid(value), encode_sluid(value / 2)) << "order of numbers is order of texts";
  }
}

TEST(JobRef, EveryReferenceComesBackFromItsText) {
  Prng prng(2);
  for (int round = 0; round < 10000; ++round) {
    JobRef ref;
    if (prng.chance(1, 8)) {
      ref.sluid = prng.next() | 1;
    } else {
      ref.job = static_cast<std::uint32_t>(1 + prng.below(0xffffffff));
      auto number = static_cast<std::uint32_t>(prng.below(4'000'000));
      switch (prng.below(5)) {
        case 0: ref.task = number; break;
        case 1:
          ref.tasks =
              ArrayExpression{IndexSet::range(number / 2, number, 1 + number % 7), number % 5};
          break;
        case 2: ref.whole_array = true; break;
        case 3: ref.component = number; break;
      }
    }
    if (prng.chance(1, 2)) {
      ref.step = StepRef{static_cast<StepRef::Kind>(prng.below(4)), 0};
      if (ref.step->kind == StepRef::Kind::Number)
        ref.step->number = static_cast<std::uint32_t>(prng.next());
    }
    ASSERT_EQ(JobRef::parse(ref.str()), ref) << ref.str();
  }
}

}  // namespace
}  // namespace ym
