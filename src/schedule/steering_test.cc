// SPDX-License-Identifier: Apache-2.0
#include "schedule/steering.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Steering, KnobsAndPolicyFollowTheParameters) {
  State state;
  Planner planner{PlacementRules{}};
  Steering steering(planner, state);
  steering.follow({.parameters = "ym_policy=fcfs,bf_max_job_test=7,bf_window=2"}, false);
  EXPECT_EQ(planner.policy().name, "fcfs");
  EXPECT_EQ(steering.knobs().budget.reservations_max, 7u);
  EXPECT_EQ(steering.knobs().budget.window, Duration(std::chrono::minutes(2)));
  steering.follow({}, false);
  EXPECT_EQ(planner.policy().name, default_policy().name);
  EXPECT_EQ(steering.knobs().budget.reservations_max, PlanBudget().reservations_max);
}

TEST(Steering, PrioritiesAreCountedWithWhatAccountingKnows) {
  State state;
  Planner planner{PlacementRules{}};
  Steering steering(planner, state);
  PreemptRules preempt;
  preempt.qos["urgent"].priority = 10;
  steering.follow({.priority = {.qos = 1000}, .preempt = Ref(preempt)}, true);
  EXPECT_EQ(steering.scale().rules.qos, 1000u);
  EXPECT_EQ(steering.scale().qos.priority("urgent"), 10u);
  EXPECT_EQ(steering.scale().qos.highest(), 10u);
}

}  // namespace
}  // namespace ym
