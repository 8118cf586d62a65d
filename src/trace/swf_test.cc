// SPDX-License-Identifier: Apache-2.0
#include "trace/swf.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

Workload read(std::string_view text, std::uint32_t procs = 0) {
  auto workload = read_swf(text, "t.swf", procs);
  EXPECT_TRUE(workload) << workload.error().text;
  return workload.value_or(Workload{});
}

std::string refusal(std::string_view text) {
  auto workload = read_swf(text, "t.swf");
  return workload ? "" : workload.error().text;
}

TEST(Swf, ReadsTheFieldsOfAJobAndTheMachineOfTheHeader) {
  Workload w = read(
      "; Computer: IBM SP2\n; MaxNodes: 50\n; MaxProcs:  100 \n; UnixStartTime: 843000000\n"
      "7 10 5 3477 4 -1 -1 8 53940 -1 1 12 12 -1 3 -1 -1 -1\n");
  ASSERT_EQ(w.jobs.size(), 1u);
  EXPECT_EQ(w.procs, 100u);
  EXPECT_EQ(w.origin_unix_s, 843000010);
  EXPECT_EQ(w.jobs[0], (TraceJob{.id = 7,
                                 .submit_s = 0,
                                 .run_s = 3477,
                                 .limit_s = 53940,
                                 .procs = 8,
                                 .recorded_start_s = 5}));
  EXPECT_EQ(w.users, std::vector<std::string>{"user12"});
  EXPECT_EQ(w.partitions, std::vector<std::string>{"queue3"});
  EXPECT_TRUE(w.has_recorded_starts);
}

TEST(Swf, TakesWhatWasUsedWhereNothingWasAskedFor) {
  Workload w = read("1 0 -1 30 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  EXPECT_EQ(w.jobs[0].procs, 4u);
  EXPECT_EQ(w.jobs[0].limit_s, 30u);
  EXPECT_FALSE(w.has_recorded_starts);
}

TEST(Swf, AJobRunsNoLongerThanItsLimitAndIsNoLargerThanTheMachine) {
  Workload w = read("; MaxProcs: 16\n1 0 -1 500 4 -1 -1 64 437 -1\n");
  EXPECT_EQ(w.jobs[0].run_s, 437u);
  EXPECT_EQ(w.jobs[0].procs, 16u);
  EXPECT_EQ(read("; MaxProcs: 16\n1 0 -1 500 4 -1 -1 64 437 -1\n", 32).jobs[0].procs, 32u);
}

TEST(Swf, PassesOverWhatTellsOfNoRun) {
  Workload w = read("1 0 -1 0 4\n2 5 -1 -1 4\n3 7 -1 10 -1 -1 -1 -1\n4 9 -1 10 1\n");
  ASSERT_EQ(w.jobs.size(), 1u);
  EXPECT_EQ(w.jobs[0].id, 4u);
  EXPECT_EQ(w.jobs[0].submit_s, 0);
  EXPECT_EQ(w.passed_over, 3u);
}

TEST(Swf, OrdersBySubmissionAndKeepsTheOrderOfTheTraceWithinASecond) {
  Workload w = read("5 40 -1 1 1\n9 20 -1 1 1\n1 40 -1 1 1\n7 20 -1 1 1\n");
  std::vector<std::uint64_t> ids;
  for (const TraceJob& job : w.jobs) ids.push_back(job.id);
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{9, 7, 5, 1}));
  EXPECT_EQ(w.jobs[2].submit_s, 20);
}

TEST(Swf, TakesBlanksTabsFractionsAndLineEndsOfOtherSystems) {
  Workload w = read("  1\t0  -1 30.50 4 0.5 -1 4 60\r\n\r\n2 1 -1 30 4 ; a remark\n");
  ASSERT_EQ(w.jobs.size(), 2u);
  EXPECT_EQ(w.jobs[0].run_s, 30u);
}

TEST(Swf, SaysWhichLineIsWrongAndWhy) {
  EXPECT_EQ(refusal("; ok\n1 0 -1\n"), "t.swf:2: 3 fields where 18 are expected");
  EXPECT_EQ(refusal("1 0 -1 ten 4\n"), "t.swf:1: field 4 is not a number: 'ten'");
  EXPECT_EQ(refusal("1 -5 -1 10 4\n"), "t.swf:1: no time of submission");
  EXPECT_EQ(refusal("1 0 -1 10 4 -1 -1 4 99999999999\n"), "t.swf:1: a time beyond eight years");
  EXPECT_EQ(refusal("1 0 -1 10 999999999\n"), "t.swf:1: more processors than any machine has");
  EXPECT_EQ(refusal("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n"),
            "t.swf:1: more than 18 fields");
}

TEST(Swf, WhatIsPrintedReadsBackAsTheSameJobs) {
  Workload w = read(
      "; MaxProcs: 16\n1 0 -1 30 4 -1 -1 4 60 -1 1 1 -1 -1 1\n2 9 3 5 1 -1 -1 1 9 -1 "
      "1 2 -1 -1 1\n");
  Workload again = read(print_swf(w));
  EXPECT_EQ(again.jobs, w.jobs);
  EXPECT_EQ(again.procs, 16u);
}

TEST(Swf, IsKnownByItsFirstLine) {
  EXPECT_TRUE(looks_like_swf("; MaxProcs: 4\n"));
  EXPECT_TRUE(looks_like_swf("  1 0 -1 5 5\n"));
  EXPECT_FALSE(looks_like_swf("JobID|Submit\n"));
  EXPECT_FALSE(looks_like_swf(""));
}

TEST(Swf, MemoryIsAskedForInKilobytesForEachProcessor) {
  auto w = read_swf(
      "1 0 -1 60 4 -1 -1 4 60 1048576 1 1 -1 -1 1 -1 -1 -1\n"
      "2 0 -1 60 4 -1 -1 4 60 -1 1 1 -1 -1 1 -1 -1 -1\n",
      "t", 4);
  ASSERT_TRUE(w) << w.error().text;
  EXPECT_EQ(w->jobs[0].memory_mb, 4096u);
  EXPECT_EQ(w->jobs[1].memory_mb, 0u);
  EXPECT_EQ(read_swf(print_swf(*w), "t", 4)->jobs[0].memory_mb, 4096u);
}

}  // namespace
}  // namespace ym::trace
