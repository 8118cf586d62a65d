// SPDX-License-Identifier: Apache-2.0
#include "schedule/license_levels.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

Instant at(std::int64_t second) { return Instant{} + std::chrono::seconds(second); }
LicenseList list(const char* text) { return *LicenseList::parse(text); }

// Four of m, two of them held until 100; two of k, none of them held.
LicenseLevels some() {
  Licenses licenses{{"m", {.name = "m", .total = 4, .used = 2}},
                    {"k", {.name = "k", .total = 2, .used = 0}}};
  LicenseLevels levels(licenses, at(10));
  levels.give_back("m:2", at(100), kNever);
  return levels;
}

std::uint32_t free_of(const LicenseLevels& levels, const char* name, int from, int to) {
  return levels.between(list(name), at(from), at(to)).at(name).free();
}

TEST(LicenseLevels, TheLeastWithinTheTimeCounts) {
  LicenseLevels levels = some();
  EXPECT_EQ(free_of(levels, "m", 10, 20), 2u);
  EXPECT_EQ(free_of(levels, "m", 50, 150), 2u);
  EXPECT_EQ(free_of(levels, "m", 100, 150), 4u);
  levels.take("m:3,k", at(120), at(130));
  EXPECT_EQ(free_of(levels, "m", 100, 120), 4u) << "it ends when the other begins";
  EXPECT_EQ(free_of(levels, "m", 100, 121), 1u);
  EXPECT_EQ(free_of(levels, "m", 130, 140), 4u);
  EXPECT_EQ(free_of(levels, "k", 100, 200), 1u);
  levels.give_back("m:3,k", at(120), at(130));
  EXPECT_EQ(free_of(levels, "m", 100, 200), 4u);
  EXPECT_EQ(free_of(levels, "unknown", 100, 200), 0u);
}

TEST(LicenseLevels, OneAfterTheOtherDoesNotAddUp) {
  LicenseLevels levels = some();
  for (int i = 0; i < 10; ++i) levels.take("k", at(100 + i * 10), at(110 + i * 10));
  EXPECT_EQ(free_of(levels, "k", 10, 1000), 1u);
}

TEST(LicenseLevels, AStartIsWhereEnoughAreFreeForAsLongAsItLasts) {
  LicenseLevels levels = some();
  EXPECT_EQ(levels.start_of(list("m:2"), at(10), at(40)), at(10));
  EXPECT_EQ(levels.start_of(list("m:3"), at(10), at(40)), at(100));
  EXPECT_EQ(levels.start_of(list("m:3|k"), at(10), at(40)), at(10)) << "one of them is enough";
  EXPECT_EQ(levels.start_of(list("m:3,k"), at(10), at(40)), at(100));
  EXPECT_EQ(levels.start_of(list("m:5"), at(100), at(140)), kNever);
  EXPECT_EQ(levels.start_of(list("unknown"), at(10), at(40)), kNever);
  levels.take("m:2", at(120), at(130));
  EXPECT_EQ(levels.start_of(list("m:3"), at(100), at(120)), at(100));
  EXPECT_EQ(levels.start_of(list("m:3"), at(100), at(121)), at(130));
  EXPECT_EQ(levels.rises(list("m,k"), at(10)), (std::vector{at(100), at(130)}));
  EXPECT_EQ(levels.rises(list("m"), at(100)), (std::vector{at(130)}));
}

TEST(LicenseLevels, AShorterTimeEndsBeforeAnotherBegins) {
  LicenseLevels levels = some();
  levels.take("m:1", at(60), at(90));
  EXPECT_EQ(levels.free_until("m:2", at(500)), at(60));
  EXPECT_EQ(levels.free_until("m:1", at(500)), at(500));
}

TEST(LicenseLevels, WhereFewerAreThanArePromisedIsSaid) {
  LicenseLevels levels = some();
  levels.take("m:3", at(110), at(200));
  EXPECT_FALSE(levels.is_short("m:3", at(110), at(200)));
  levels.take("m:2", at(150), at(160));
  EXPECT_TRUE(levels.is_short("m:3", at(110), at(200)));
  EXPECT_FALSE(levels.is_short("m:3", at(160), at(200)));
}

}  // namespace
}  // namespace ym
