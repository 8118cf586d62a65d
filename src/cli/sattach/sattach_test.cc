// SPDX-License-Identifier: Apache-2.0
#include "cli/sattach/sattach.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

StepRow row() {
  StepRow out{.job = JobId{9}, .array_job = JobId{7}, .array_task = 2, .nodes = "n[1-2]"};
  out.step.id = StepId{1};
  out.step.tasks = 3;
  out.step.shares = {{.first_task = 0, .tasks = 2}, {.first_task = 2, .tasks = 1}};
  out.addresses = {{.name = "n1"}, {.name = "n2"}};
  return out;
}

TEST(Sattach, FindsAStepByJobOrByArrayElement) {
  EXPECT_TRUE(names(JobRef::parse("9.1").value(), StepId{1}, row()));
  EXPECT_TRUE(names(JobRef::parse("7_2.1").value(), StepId{1}, row()));
  EXPECT_FALSE(names(JobRef::parse("7_3.1").value(), StepId{1}, row()));
  EXPECT_FALSE(names(JobRef::parse("9.0").value(), StepId{0}, row()));
}

TEST(Sattach, ShowsWhichTasksRunWhere) {
  EXPECT_EQ(layout_text(row()),
            "Job step layout:\n\t3 tasks, 2 nodes (n[1-2])\n\n"
            "\tNode 0 (n1), 2 task(s): 0 1 \n"
            "\tNode 1 (n2), 1 task(s): 2 \n");
}

}  // namespace
}  // namespace ym::cli
