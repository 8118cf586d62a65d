// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/rate_limit.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

using std::chrono::seconds;
using Verdict = RateLimiter::Verdict;

constexpr Duration kStart = seconds(1000);

// How many of `tries` requests at one moment pass.
int passed(RateLimiter& limiter, std::uint32_t uid, Duration now, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += limiter.ask(uid, now) == Verdict::Pass;
  return count;
}

TEST(RateLimiter, LetsEverythingPassUntilItIsEnabled) {
  RateLimiter limiter;
  EXPECT_EQ(passed(limiter, 7, kStart, 1000), 1000);
  EXPECT_EQ(limiter.size(), 0u);
}

TEST(RateLimiter, AllowsABurstAndThenTheSteadyRate) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true});
  EXPECT_EQ(passed(limiter, 7, kStart, 100), 30);
  EXPECT_EQ(passed(limiter, 7, kStart + Duration(999), 100), 0);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(1), 100), 2);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(4), 100), 6);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(100'000), 100), 30) << "never more than a bucket";
}

TEST(RateLimiter, CountsEachUserOnHisOwn) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true, .bucket_size = 5});
  EXPECT_EQ(passed(limiter, 7, kStart, 100), 5);
  EXPECT_EQ(passed(limiter, 8, kStart, 100), 5);
}

TEST(RateLimiter, KeepsWhatIsLeftOfAPeriod) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true, .bucket_size = 1, .refill_rate = 1, .refill_period_s = 10});
  EXPECT_EQ(passed(limiter, 7, kStart, 1), 1);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(19), 1), 1);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(20), 1), 1);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(21), 1), 0);
}

TEST(RateLimiter, ForgetsWhoAskedLongestAgoWhenTheTableIsFull) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true, .bucket_size = 2, .table_size = 3});
  for (std::uint32_t uid : {1u, 2u, 3u}) EXPECT_EQ(passed(limiter, uid, kStart, 9), 2);
  EXPECT_EQ(passed(limiter, 1, kStart, 9), 0);
  EXPECT_EQ(passed(limiter, 4, kStart, 9), 2);
  EXPECT_EQ(limiter.size(), 3u);
  EXPECT_EQ(passed(limiter, 1, kStart, 9), 0) << "he asked after 2 did";
  EXPECT_EQ(passed(limiter, 2, kStart, 9), 2);
}

TEST(RateLimiter, SaysSoAsOftenAsTheSiteWants) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true, .bucket_size = 1, .refill_period_s = 1000, .log_freq_s = 5});
  EXPECT_EQ(limiter.ask(7, kStart), Verdict::Pass);
  EXPECT_EQ(limiter.ask(7, kStart), Verdict::BackOffAndSay);
  EXPECT_EQ(limiter.ask(7, kStart + seconds(4)), Verdict::BackOff);
  EXPECT_EQ(limiter.ask(7, kStart + seconds(5)), Verdict::BackOffAndSay);
  limiter.set_rules({.enabled = true, .bucket_size = 1, .refill_period_s = 1000, .log_freq_s = -1});
  EXPECT_EQ(limiter.ask(7, kStart + seconds(50)), Verdict::BackOff);
}

TEST(RateLimiter, TakesNewRulesAtOnce) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true, .bucket_size = 100});
  EXPECT_EQ(passed(limiter, 7, kStart, 10), 10);
  limiter.set_rules({.enabled = true, .bucket_size = 3});
  EXPECT_EQ(passed(limiter, 7, kStart, 10), 3);
  limiter.set_rules({});
  EXPECT_EQ(passed(limiter, 7, kStart, 10), 10);
  EXPECT_EQ(limiter.size(), 0u);
}

TEST(RateLimiter, HoldsWithRulesOfAnySize) {
  RateLimiter limiter;
  limiter.set_rules({.enabled = true,
                     .bucket_size = UINT32_MAX,
                     .refill_rate = UINT32_MAX,
                     .refill_period_s = UINT32_MAX});
  EXPECT_EQ(passed(limiter, 7, kStart, 5), 5);
  EXPECT_EQ(passed(limiter, 7, kStart + seconds(1LL << 40), 5), 5);
}

}  // namespace
}  // namespace ym
