// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Statistics some() {
  return {.values = {{"running", "3"},
                     {"jobs_started", "17"},
                     {"plan_total_us", "2500042"},
                     {"when_us", "1"},
                     {"reason_Priority", "5"},
                     {"reason_Dependency", "2"}},
          .by_kind = {{.number = 7, .name = "A\"B", .count = 4, .total_us = 1'500'000}},
          .by_user = {}};
}

TEST(Metrics, CountersAreTotalsAndTimesAreSeconds) {
  std::string text = render_metrics(some());
  EXPECT_THAT(text, HasSubstr("# TYPE yardmaster_jobs_running gauge\n"));
  EXPECT_THAT(text, HasSubstr("\nyardmaster_jobs_running 3\n"));
  EXPECT_THAT(text, HasSubstr("\nyardmaster_jobs_started_total 17\n"));
  EXPECT_THAT(text, HasSubstr("# UNIT yardmaster_passes_seconds seconds\n"));
  EXPECT_THAT(text, HasSubstr("\nyardmaster_passes_seconds_total 2.500042\n"));
  EXPECT_THAT(text, HasSubstr("{question=\"when\"} 0.000001\n"));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(Metrics, WaitingJobsHaveTheReasonsOfSqueue) {
  std::string text = render_metrics(some());
  EXPECT_THAT(text, HasSubstr("\nyardmaster_jobs_pending{reason=\"Priority\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("\nyardmaster_jobs_pending{reason=\"Dependency\"} 2\n"));
}

TEST(Metrics, LabelsAreEscapedAndWhatIsNotKnownIsLeftOut) {
  std::string text = render_metrics(some());
  EXPECT_THAT(text, HasSubstr("yardmaster_messages_total{type=\"A\\\"B\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("yardmaster_messages_seconds_total{type=\"A\\\"B\"} 1.500000\n"));
  EXPECT_THAT(text, Not(HasSubstr("yardmaster_nodes")));
}

}  // namespace
}  // namespace ym::cli
