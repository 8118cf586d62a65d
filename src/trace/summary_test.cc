// SPDX-License-Identifier: Apache-2.0
#include "trace/summary.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

TEST(Summary, ASlowdownIsBoundedByTenSecondsAndNeverBelowOne) {
  EXPECT_DOUBLE_EQ(bounded_slowdown(0, 5), 1);
  EXPECT_DOUBLE_EQ(bounded_slowdown(55, 5), 6);
  EXPECT_DOUBLE_EQ(bounded_slowdown(100, 100), 2);
}

TEST(Summary, QuantilesAreMembersOfTheSample) {
  std::vector<double> sample;
  for (int i = 100; i >= 1; --i) sample.push_back(i);
  Spread spread = spread_of(sample);
  EXPECT_DOUBLE_EQ(spread.mean, 50.5);
  EXPECT_DOUBLE_EQ(spread.median, 50);
  EXPECT_DOUBLE_EQ(spread.p95, 95);
  EXPECT_DOUBLE_EQ(spread.max, 100);
  EXPECT_DOUBLE_EQ(spread_of({}).mean, 0);
}

TEST(Summary, SizesAreInClassesOfPowersOfFour) {
  EXPECT_EQ(size_class_name(size_class(1)), "1");
  EXPECT_EQ(size_class_name(size_class(2)), "2-4");
  EXPECT_EQ(size_class_name(size_class(4)), "2-4");
  EXPECT_EQ(size_class_name(size_class(5)), "5-16");
  EXPECT_EQ(size_class_name(size_class(17)), "17-64");
}

TEST(Summary, CountsWhatRanAndSharesItOutToUsersPartitionsAndSizes) {
  Workload w{.jobs = {{.id = 1, .submit_s = 0, .run_s = 100, .procs = 4},
                      {.id = 2, .submit_s = 0, .run_s = 100, .procs = 1, .user = 1},
                      {.id = 3, .submit_s = 50, .run_s = 9, .procs = 1, .user = 1},
                      {.id = 4, .submit_s = 60, .run_s = 9, .procs = 9}},
             .users = {"ann", "bob"},
             .partitions = {"p"}};
  Outcome outcome{.jobs = {{0, 100, JobState::Completed},
                           {100, 200, JobState::Completed},
                           {200, 210, JobState::Timeout},
                           {}},
                  .refused = 1};
  Summary s = summarise(w, outcome, 4);
  EXPECT_EQ(s.started, 3u);
  EXPECT_EQ(s.refused, 1u);
  EXPECT_EQ(s.never_started, 0u);
  EXPECT_EQ(s.timed_out, 1u);
  EXPECT_EQ(s.makespan_s, 210);
  EXPECT_DOUBLE_EQ(s.utilisation, 510.0 / (4 * 210));
  EXPECT_DOUBLE_EQ(s.wait_s.mean, 250.0 / 3);
  ASSERT_EQ(s.users.size(), 2u);
  EXPECT_EQ(s.users[0].name, "ann");
  EXPECT_DOUBLE_EQ(s.users[1].wait_s.max, 150);
  EXPECT_DOUBLE_EQ(s.users[1].slowdown.max, 16);
  EXPECT_EQ(s.sizes.size(), 2u);
}

TEST(Summary, TheRecordedScheduleIsAnOutcomeToo) {
  Workload w{.jobs = {{.id = 1, .run_s = 10, .procs = 1, .recorded_start_s = 5},
                      {.id = 2, .run_s = 10, .procs = 1}}};
  Outcome outcome = recorded_outcome(w);
  EXPECT_EQ(outcome.jobs[0], (JobFate{5, 15, JobState::Completed}));
  EXPECT_EQ(outcome.jobs[1], JobFate{});
}

}  // namespace
}  // namespace ym::trace
