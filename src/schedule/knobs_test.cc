// SPDX-License-Identifier: Apache-2.0
#include "schedule/knobs.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Knobs, SlurmsNamesTurnTheBudget) {
  KnobReading read = read_knobs(
      "bf_max_job_test=300,bf_window=60,bf_interval=10,bf_max_job_user=5,bf_max_job_part=0,"
      "bf_min_age_reserve=30,bf_max_time=2,bf_max_job_start=7");
  EXPECT_TRUE(read.warnings.empty());
  const PlanBudget& budget = read.knobs.budget;
  EXPECT_EQ(budget.reservations_max, 300u);
  EXPECT_EQ(budget.window, std::chrono::minutes(60));
  EXPECT_EQ(budget.full_every, std::chrono::seconds(10));
  EXPECT_EQ(budget.per_user_max, 5u);
  EXPECT_EQ(budget.per_partition_max, kEveryJob);
  EXPECT_EQ(budget.min_age, std::chrono::seconds(30));
  EXPECT_EQ(budget.starts_max, 7u);
  EXPECT_EQ(read.knobs.time_max, std::chrono::seconds(2));
}

TEST(Knobs, WhatIsNeedlessIsAcceptedAndWhatIsNotActedOnIsSaid) {
  EXPECT_TRUE(read_knobs("bf_continue,bf_licenses,bf_resolution=60,max_rpc_cnt=150,defer,"
                         "preempt_youngest_first,preempt_strict_order")
                  .warnings.empty());
  KnobReading read = read_knobs("bf_max_job_assoc=3,no_such_thing,bf_window=soon");
  ASSERT_EQ(read.warnings.size(), 3u);
  EXPECT_EQ(read.warnings[0], "SchedulerParameters: bf_max_job_assoc is not acted on");
  EXPECT_EQ(read.warnings[1], "SchedulerParameters: no_such_thing is not acted on");
  EXPECT_EQ(read.warnings[2], "SchedulerParameters: bf_window wants a number, not \"soon\"");
}

TEST(Knobs, WaitingForAPlaceInTheNetworkIsBounded) {
  EXPECT_EQ(read_knobs("").knobs.budget.switch_wait, std::chrono::seconds(300));
  EXPECT_EQ(read_knobs("max_switch_wait=60").knobs.budget.switch_wait, std::chrono::seconds(60));
  EXPECT_EQ(read_knobs("bf_topopt_iterations=5").knobs.budget.topopt_iterations, 0u);
  EXPECT_EQ(read_knobs("bf_topopt_enable").knobs.budget.topopt_iterations, 16u);
  KnobReading read = read_knobs("bf_topopt_iterations=99,bf_topopt_enable");
  EXPECT_TRUE(read.warnings.empty());
  EXPECT_EQ(read.knobs.budget.topopt_iterations, 30u);
}

TEST(Knobs, ThePolicyIsChosenByItsName) {
  EXPECT_EQ(read_knobs("ym_policy=easy").knobs.policy, &kEasy);
  EXPECT_EQ(read_knobs("").knobs.policy, &default_policy());
  KnobReading read = read_knobs("ym_policy=hard");
  EXPECT_EQ(read.knobs.policy, &default_policy());
  ASSERT_EQ(read.warnings.size(), 1u);
  EXPECT_NE(read.warnings[0].find("conservative"), std::string::npos);
}

}  // namespace
}  // namespace ym
