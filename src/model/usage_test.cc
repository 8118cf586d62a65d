// SPDX-License-Identifier: Apache-2.0
#include "model/usage.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TaskUsage task(std::uint32_t rank, std::uint64_t cpu, std::uint64_t rss) {
  return {.rank = rank, .usage = {.user_ms = cpu, .max_rss_kb = rss}};
}

TEST(Usage, TellsWhichTaskOnWhichNodeHadTheMost) {
  StepUsage step;
  add_task(step, task(0, 50, 100), "n1");
  add_task(step, task(1, 20, 300), "n1");
  EXPECT_EQ(step.max_rss_kb, (Extreme{300, 1, "n1"}));
  EXPECT_EQ(step.min_cpu_ms, (Extreme{20, 1, "n1"}));
  EXPECT_EQ(step.total.max_rss_kb, 400u);
}

TEST(Usage, JoinsTheNodesOfAStepInAnyOrder) {
  StepUsage left, right, whole, reversed;
  add_task(left, task(0, 50, 100), "n1");
  add_task(right, task(1, 20, 300), "n2");
  merge(whole, left);
  merge(whole, right);
  merge(reversed, right);
  merge(reversed, left);
  EXPECT_EQ(whole, reversed);
  EXPECT_EQ(whole.tasks, 2u);
  EXPECT_EQ(whole.max_rss_kb.node, "n2");
}

TEST(Usage, OfANodeThatMeasuredNothingChangesNothing) {
  StepUsage step;
  add_task(step, task(3, 50, 100), "n1");
  StepUsage before = step;
  merge(step, {});
  EXPECT_EQ(step, before);
}

}  // namespace
}  // namespace ym
