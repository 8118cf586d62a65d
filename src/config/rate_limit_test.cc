// SPDX-License-Identifier: Apache-2.0
#include "config/rate_limit.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

RateRules rules_of(std::string text) {
  ClusterConfig config;
  config.shown.emplace_back("SlurmctldParameters", std::move(text));
  return rate_rules_of(config);
}

TEST(RateRules, AreOffUnlessTheyAreEnabled) {
  EXPECT_EQ(rate_rules_of({}), RateRules{});
  EXPECT_EQ(rules_of("(null)"), RateRules{});
  EXPECT_FALSE(rules_of("enable_configless,rl_bucket_size=50").enabled);
  EXPECT_TRUE(rules_of("enable_configless,rl_enable").enabled);
}

TEST(RateRules, TakeEveryNumberOfTheManual) {
  RateRules expected{.enabled = true,
                     .bucket_size = 50,
                     .refill_rate = 10,
                     .refill_period_s = 3,
                     .table_size = 99,
                     .log_freq_s = 60};
  EXPECT_EQ(rules_of("rl_enable,rl_bucket_size=50,rl_refill_rate=10,rl_refill_period=3,"
                     "RL_TABLE_SIZE=99,rl_log_freq=60"),
            expected);
  EXPECT_EQ(rules_of("rl_log_freq=-1").log_freq_s, -1);
}

TEST(RateRules, KeepTheDefaultWhereANumberMakesNoSense) {
  EXPECT_EQ(rules_of("rl_bucket_size=0,rl_refill_rate=x,rl_refill_period=,rl_table_size=-4"),
            RateRules{});
  EXPECT_EQ(rules_of("rl_table_size=4000000000").table_size, kRateTableMax);
}

}  // namespace
}  // namespace ym
