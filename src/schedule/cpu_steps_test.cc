// SPDX-License-Identifier: Apache-2.0
#include "schedule/cpu_steps.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace ym {
namespace {

TEST(CpuSteps, TheFirstTimeWithEnoughForSoLong) {
  CpuSteps steps(2);
  steps.add(10, 2);
  steps.add(10, 1);
  steps.add(20, 3);
  EXPECT_EQ(steps.take_earliest(2, 15), 0);    // 0–15
  EXPECT_EQ(steps.take_earliest(2, 100), 10);  // beside it; 1 is left until 15, then 3
  EXPECT_EQ(steps.take_earliest(3, 1), 15);
  EXPECT_EQ(steps.take_earliest(1, 5), 10);
  EXPECT_EQ(steps.take_earliest(8, 1), 110);
  EXPECT_EQ(steps.take_earliest(9, 1), std::nullopt);
}

TEST(CpuSteps, AGapThatIsTooShortIsPassedOver) {
  CpuSteps steps(4);
  EXPECT_EQ(steps.take_earliest(4, 10), 0);
  EXPECT_EQ(steps.take_earliest(3, 10), 10);
  EXPECT_EQ(steps.take_earliest(4, 5), 20);
  EXPECT_EQ(steps.take_earliest(1, 11), 25);
  EXPECT_EQ(steps.take_earliest(1, 10), 10);
}

TEST(CpuSteps, MoreThanCountsFitAreAsManyAsCountsHave) {
  CpuSteps steps(std::int64_t{1} << 40);
  steps.add(5, std::int64_t{1} << 40);
  EXPECT_EQ(steps.take_earliest(std::int64_t{1} << 41, 10), 0);
  EXPECT_EQ(steps.take_earliest(1, 10), 10);
}

// What it must say, second by second.
class BySecond {
 public:
  BySecond(std::int64_t free, const std::map<std::int64_t, std::int64_t>& more) {
    for (std::int64_t s = 0; s < kSeconds; ++s) {
      if (auto at = more.find(s); at != more.end()) free += at->second;
      free_[s] = free;
    }
  }
  std::optional<std::int64_t> take_earliest(std::int64_t cpus, std::int64_t length_s) {
    for (std::int64_t start = 0, end = 0; start + length_s < kSeconds; ++start) {
      for (end = start; end < start + length_s && free_[end] >= cpus; ++end) {
      }
      if (end < start + length_s) continue;
      for (std::int64_t s = start; s < end; ++s) free_[s] -= cpus;
      return start;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::int64_t kSeconds = 4000;
  std::map<std::int64_t, std::int64_t> free_;
};

TEST(CpuSteps, SaysWhatCountingSecondsSays) {
  Prng prng(17);
  for (int round = 0; round < 60; ++round) {
    std::int64_t free = prng.between(0, 20);
    std::map<std::int64_t, std::int64_t> more{{100, 20}};
    for (int i = 0; i < 40; ++i) more[prng.between(1, 99)] += prng.between(1, 8);
    CpuSteps steps(free);
    for (auto [at_s, cpus] : more) steps.add(at_s, cpus);
    BySecond seconds(free, more);
    for (int i = 0; i < 60; ++i) {
      std::int64_t cpus = prng.between(1, 20), length_s = prng.between(1, 60);
      ASSERT_EQ(steps.take_earliest(cpus, length_s), seconds.take_earliest(cpus, length_s))
          << "round " << round << ", request " << i;
    }
  }
}

}  // namespace
}  // namespace ym
