// SPDX-License-Identifier: Apache-2.0
#include "cli/sdiag/sdiag.h"

#include <gtest/gtest.h>

#include "cli/common/data_writer.h"

namespace ym::cli {
namespace {

const Instant kSince = Instant::from_unix_seconds(1'800'000'000);

Statistics some() {
  Statistics s;
  auto add = [&](const char* key, std::uint64_t value) {
    s.values.push_back({key, std::to_string(value)});
  };
  add("since", 1'800'000'000);
  add("plans", 120);
  add("plan_total_us", 2400);
  add("full_plans", 4);
  add("full_plan_total_us", 8000);
  add("full_plan_last_us", 1500);
  add("full_started", 3);
  add("full_started_ever", 9);
  add("full_queue_last", 50);
  add("full_queue_total", 100);
  add("full_promised_last", 7);
  add("full_promised_total", 20);
  add("full_depth_last", 40);
  add("full_depth_total", 84);
  add("full_exit_end", 3);
  add("full_exit_promises_max", 1);
  return s;
}

// Programs that watch clusters read these lines by their labels.
TEST(Sdiag, HasTheLinesOfTheBackfillScheduler) {
  std::string text = render_statistics({}, some(), kSince + std::chrono::minutes(10));
  for (const char* line : {"\tCycles per minute: 12\n",
                           "\tTotal backfilled jobs (since last slurm start): 9\n",
                           "\tTotal backfilled jobs (since last stats cycle start): 3\n",
                           "\tTotal backfilled heterogeneous job components: 0\n",
                           "\tLast cycle: 1500\n",
                           "\tMean cycle: 2000\n",
                           "\tLast depth cycle: 40\n",
                           "\tDepth Mean: 21\n",
                           "\tLast queue length: 50\n",
                           "\tQueue length mean: 25\n",
                           "\tLast table size: 7\n",
                           "\tMean table size: 5\n",
                           "\tBackfill exit\n\t\tEnd of job queue: 3\n",
                           "\t\tHit bf_max_job_test: 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Sdiag, SaysNothingOfMeansBeforeThereWasAnything) {
  std::string text = render_statistics({}, {}, kSince);
  EXPECT_NE(text.find("\tLast cycle when: N/A\n"), std::string::npos);
  EXPECT_EQ(text.find("Depth Mean"), std::string::npos);
  EXPECT_EQ(text.find("Cycles per minute"), std::string::npos);
}

TEST(Sdiag, HasTheSameNumbersInJson) {
  SdiagSettings settings;
  settings.report.notation = Notation::Json;
  std::string text = statistics_data(settings, some(), kSince);
  for (const char* one : {"\"bf_backfilled_jobs\": 9", "\"bf_last_backfilled_jobs\": 3",
                          "\"bf_queue_len_mean\": 25", "\"bf_max_job_test\": 1"})
    EXPECT_NE(text.find(one), std::string::npos) << one << text;
}

}  // namespace
}  // namespace ym::cli
