// SPDX-License-Identifier: Apache-2.0
#include "trace/curves.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

TEST(Curves, AreMeansOverPiecesAlsoWhereAStayBeginsOrEndsWithinOne) {
  std::vector<Stay> stays = {{-10, 15, 2}, {5, 30, 4}, {39, 99, 8}, {7, 7, 100}};
  Curve curve = mean_curve(stays, {0, 40}, 4);
  Curve expected = {{0, 4}, {10, 5}, {20, 4}, {30, 0.8}, {40, 0.8}};
  ASSERT_EQ(curve.size(), expected.size());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    EXPECT_DOUBLE_EQ(curve[i].first, expected[i].first);
    EXPECT_NEAR(curve[i].second, expected[i].second, 1e-12);
  }
  EXPECT_TRUE(mean_curve(stays, {5, 5}, 4).empty());
}

TEST(Curves, TellWhoRunsAndWhoWaits) {
  Workload w{.jobs = {{.submit_s = 0, .run_s = 10, .procs = 3}, {.submit_s = 0, .procs = 2}}};
  Outcome outcome{.jobs = {{10, 20, JobState::Completed}, {}}};
  EXPECT_DOUBLE_EQ(busy_curve(w, outcome, {0, 20}, 2)[1].second, 3);
  EXPECT_DOUBLE_EQ(busy_curve(w, outcome, {0, 20}, 2)[0].second, 0);
  EXPECT_DOUBLE_EQ(queue_curve(w, outcome, {0, 20}, 2)[0].second, 1);
  EXPECT_EQ(last_end(outcome), 20);
}

TEST(Curves, ADistributionEndsWithAll) {
  Workload w;
  Outcome outcome;
  for (int i = 0; i < 1000; ++i) {
    w.jobs.push_back({.submit_s = 0, .run_s = 1, .procs = 1});
    outcome.jobs.push_back({i / 2, i / 2 + 1, JobState::Completed});
  }
  Curve curve = wait_distribution(w, outcome, 50);
  EXPECT_LE(curve.size(), 52u);
  EXPECT_DOUBLE_EQ(curve.front().first, 0);
  EXPECT_DOUBLE_EQ(curve.front().second, 0.002);
  EXPECT_DOUBLE_EQ(curve.back().first, 499);
  EXPECT_DOUBLE_EQ(curve.back().second, 1);
}

}  // namespace
}  // namespace ym::trace
