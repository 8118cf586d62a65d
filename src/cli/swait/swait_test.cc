// SPDX-License-Identifier: Apache-2.0
#include "cli/swait/swait.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

HistoryRow row_with(std::vector<std::pair<StepId, bool>> steps) {
  HistoryRow row;
  row.job.job.id = JobId{7};
  row.job.job.state = JobState::Running;
  for (auto [id, ended] : steps) {
    StepRow step{.job = JobId{7}, .step = {.id = id, .worst = {.code = 3, .signal = 0}}};
    if (ended) step.end = Instant{9000};
    row.steps.push_back(step);
  }
  return row;
}

TEST(Swait, LeavesAtOnceIfNothingRunsAndSaysNothing) {
  StepWait wait({}, std::nullopt);
  auto look = wait.look(row_with({{kBatchStep, false}, {StepId{0}, true}}));
  EXPECT_EQ(look.exit, 0);
  EXPECT_EQ(look.text, "");
}

TEST(Swait, WaitsForAllStepsButTheScriptsOwn) {
  StepWait wait({}, std::nullopt);
  EXPECT_FALSE(wait.look(row_with({{kBatchStep, false}, {StepId{0}, false}})).exit);
  auto look = wait.look(row_with({{kBatchStep, false}, {StepId{0}, true}}));
  EXPECT_EQ(look.exit, 0);
  EXPECT_EQ(look.text, "JobId=7 steps drained\n");
}

TEST(Swait, FollowsEachStepThatEnds) {
  StepWait wait({.follow = true}, std::nullopt);
  EXPECT_FALSE(wait.look(row_with({{StepId{0}, false}, {StepId{1}, false}})).exit);
  EXPECT_EQ(wait.look(row_with({{StepId{0}, true}, {StepId{1}, false}})).text,
            "StepId=7.0 code=3:0\n");
  EXPECT_EQ(wait.look(row_with({{StepId{0}, true}, {StepId{1}, true}})).text,
            "StepId=7.1 code=3:0\nJobId=7 steps drained\n");
}

TEST(Swait, TellsOneStepsEndAndThatThereIsNone) {
  StepWait wait({}, StepId{1});
  EXPECT_FALSE(wait.look(row_with({{StepId{0}, false}, {StepId{1}, false}})).exit);
  auto look = wait.look(row_with({{StepId{0}, false}, {StepId{1}, true}}));
  EXPECT_EQ(look.exit, 0);
  EXPECT_EQ(look.text, "StepId=7.1 code=3:0\n");
  StepWait late({}, StepId{1});
  EXPECT_EQ(late.look(row_with({{StepId{1}, true}})).exit, 3);
}

}  // namespace
}  // namespace ym::cli
