// SPDX-License-Identifier: Apache-2.0
#include "schedule/floors.h"

#include <gtest/gtest.h>

#include "schedule/shape.h"

namespace ym {
namespace {

constexpr Instant kNine{9'000}, kTen{10'000};

TEST(Floors, WhoAsksForNoLessCannotStartEarlier) {
  JobSpec small{.tasks = 4, .min_nodes = 2, .time_limit_s = 60};
  Floors floors;
  EXPECT_FALSE(floors.of(1, small));
  floors.note(1, small, kNine);
  EXPECT_EQ(floors.of(1, small), kNine);
  JobSpec large = small;
  large.memory_per_cpu_mb = 1;
  EXPECT_EQ(floors.of(1, large), kNine);
  EXPECT_FALSE(floors.of(2, large)) << "of another kind";
  floors.note(1, large, kTen);
  EXPECT_EQ(floors.of(1, large), kTen) << "the latest counts";
  EXPECT_EQ(floors.of(1, small), kNine);
  floors.clear();
  EXPECT_FALSE(floors.of(1, small));
}

TEST(Floors, WhoAsksForLessOfAnythingMay) {
  JobSpec one{.tasks = 4, .min_nodes = 2, .memory_per_node_mb = 10, .time_limit_s = 60};
  Floors floors;
  floors.note(1, one, kNine);
  JobSpec shorter = one, fewer = one, narrower = one, leaner = one;
  shorter.time_limit_s = 59;
  fewer.tasks = 3;
  narrower.min_nodes = 1;
  leaner.memory_per_node_mb = 9;
  for (const JobSpec& other : {shorter, fewer, narrower, leaner}) EXPECT_FALSE(floors.of(1, other));
  JobSpec unlimited = one;
  unlimited.time_limit_s = 0;
  EXPECT_EQ(floors.of(1, unlimited), kNine) << "no limit is the longest";
}

TEST(KindOf, TellsWhatCanBeCompared) {
  JobSpec one{.partitions = "p", .tasks = 4};
  JobSpec longer = one;
  longer.time_limit_s = 600;
  longer.tasks = 9;
  EXPECT_EQ(kind_of(one), kind_of(longer));
  JobSpec alone = one, elsewhere = one, bounded = one;
  alone.exclusive = true;
  elsewhere.partitions = "q";
  bounded.max_nodes = 1;
  for (const JobSpec& other : {alone, elsewhere, bounded}) EXPECT_NE(kind_of(one), kind_of(other));
  JobSpec picky = one, together = one, plain = one;
  picky.extras = Ref(JobExtras{.features = "fast"});
  together.contiguous = true;
  plain.extras = Ref(JobExtras{.comment = "no matter"});
  EXPECT_EQ(kind_of(picky), 0u);
  EXPECT_EQ(kind_of(together), 0u);
  EXPECT_EQ(kind_of(plain), kind_of(one));
}

}  // namespace
}  // namespace ym
