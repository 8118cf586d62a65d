// SPDX-License-Identifier: Apache-2.0
#include "trace/sacct.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

const FixedOffset kUtc;

Workload read(std::string_view text) {
  auto workload = read_sacct(text, "jobs.txt", kUtc);
  EXPECT_TRUE(workload) << workload.error().text;
  return workload.value_or(Workload{});
}

std::string refusal(std::string_view text) {
  auto workload = read_sacct(text, "jobs.txt", kUtc);
  return workload ? "" : workload.error().text;
}

TEST(Sacct, ReadsWhatASitePrints) {
  Workload w = read(
      "JobID|JobIDRaw|User|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NCPUS|NNodes|"
      "AllocTRES\n"
      "12|12|ann|long|COMPLETED|2026-11-15T10:00:00|2026-11-15T10:05:00|2026-11-15T10:15:00|600|60|"
      "8|2|billing=8,cpu=8,gres/gpu=4,mem=1G,node=2\n"
      "12.batch|12.batch||long|COMPLETED|2026-11-15T10:00:00|2026-11-15T10:05:00|"
      "2026-11-15T10:15:00|600||4|1|\n"
      "13_2|15|bob|short|TIMEOUT|2026-11-15T10:00:30|2026-11-15T10:05:00|2026-11-15T10:15:00|661|1|"
      "1|1|cpu=1\n");
  ASSERT_EQ(w.jobs.size(), 2u);
  EXPECT_EQ(w.jobs[0], (TraceJob{.id = 12,
                                 .submit_s = 0,
                                 .run_s = 600,
                                 .limit_s = 3600,
                                 .procs = 8,
                                 .nodes = 2,
                                 .gpus = 4,
                                 .recorded_start_s = 300}));
  EXPECT_EQ(w.jobs[1].id, 15u);
  EXPECT_EQ(w.jobs[1].submit_s, 30);
  EXPECT_EQ(w.jobs[1].run_s, 661u) << "longer than its limit: the controller will end it";
  EXPECT_EQ(w.users, (std::vector<std::string>{"ann", "bob"}));
  EXPECT_EQ(w.partitions, (std::vector<std::string>{"long", "short"}));
  EXPECT_EQ(w.origin_unix_s, 1794736800);
}

TEST(Sacct, TakesTimesInWordsAndColumnsInAnyOrder) {
  Workload w = read(
      "ReqCPUS|Elapsed|timelimit|JobID|Submit\n"
      "4|1-00:00:01|2-00:00:00|7|2026-01-01T00:00:00\n"
      "4|00:10:00|UNLIMITED|8|2026-01-01T00:00:10\n"
      "4|00:10:00|Partition_Limit|9|2026-01-01T00:00:20\n");
  ASSERT_EQ(w.jobs.size(), 3u);
  EXPECT_EQ(w.jobs[0].run_s, 86401u);
  EXPECT_EQ(w.jobs[0].limit_s, 172800u);
  EXPECT_EQ(w.jobs[1].run_s, 600u);
  EXPECT_EQ(w.jobs[1].limit_s, 0u);
  EXPECT_EQ(w.jobs[2].limit_s, 0u);
  EXPECT_FALSE(w.has_recorded_starts);
}

TEST(Sacct, AJobThatCouldNotStartBeforeCountsFromThenOn) {
  Workload w = read(
      "JobID|Submit|Eligible|Start|End|ReqCPUS\n"
      "7|2026-01-01T00:00:00|2026-01-01T00:01:00|2026-01-01T00:02:00|2026-01-01T00:03:00|1\n"
      "8|2026-01-01T00:00:00|Unknown|Unknown|2026-01-01T00:03:00|1\n");
  ASSERT_EQ(w.jobs.size(), 1u);
  EXPECT_EQ(w.jobs[0].run_s, 60u);
  EXPECT_EQ(w.jobs[0].recorded_start_s, 60);
  EXPECT_EQ(w.passed_over, 1u);
}

TEST(Sacct, SaysWhatIsMissing) {
  EXPECT_EQ(refusal(""), "jobs.txt: no line of headers");
  EXPECT_EQ(refusal("User|Submit\n"),
            "jobs.txt:1: no column JobID; is this sacct --parsable2 with its headers?");
  EXPECT_EQ(refusal("JobID|ReqCPUS|Elapsed\n"), "jobs.txt:1: no column Submit");
  EXPECT_EQ(refusal("JobID|Submit|Elapsed\n"), "jobs.txt:1: no column ReqCPUS");
  EXPECT_EQ(refusal("JobID|Submit|ReqCPUS|Start\n"), "jobs.txt:1: no column ElapsedRaw");
  EXPECT_EQ(refusal("JobID|Submit|ReqCPUS|Elapsed\nx|2026-01-01T00:00:00|1|00:01:00\n"),
            "jobs.txt:2: no job's number: 'x'");
  EXPECT_EQ(refusal("JobID|Submit|ReqCPUS|Elapsed\n1|soon|1|00:01:00\n"),
            "jobs.txt:2: Submit 'soon'");
  EXPECT_EQ(refusal("JobID|Submit|ReqCPUS|Elapsed\n1\n"),
            "jobs.txt:2: fewer columns than the headers");
}

TEST(Sacct, IsKnownByItsHeaders) {
  EXPECT_TRUE(looks_like_sacct("User|JobIDRaw|Submit\n1|2"));
  EXPECT_FALSE(looks_like_sacct("1 2 3\n"));
}

TEST(Sacct, MemoryQosAccountAndLicensesAreTakenOver) {
  auto w = read_sacct(
      "JobIDRaw|Submit|ElapsedRaw|ReqCPUS|NNodes|ReqTRES|ReqMem|QOS|Account|Licenses\n"
      "1|2026-11-15T10:00:00|60|4|2|cpu=4,mem=7000M,node=2||urgent|physics|matlab:2\n"
      "2|2026-11-15T10:00:00|60|4|2||2Gn|normal||\n"
      "3|2026-11-15T10:00:00|60|4|2||1000Mc|urgent|physics|(null)\n"
      "4|2026-11-15T10:00:00|60|4|2||3G|||\n",
      "t", kUtc);
  ASSERT_TRUE(w) << w.error().text;
  ASSERT_EQ(w->jobs.size(), 4u);
  EXPECT_EQ(w->jobs[0].memory_mb, 7000u);
  EXPECT_EQ(w->jobs[1].memory_mb, 4096u) << "of each node";
  EXPECT_EQ(w->jobs[2].memory_mb, 4000u) << "of each CPU";
  EXPECT_EQ(w->jobs[3].memory_mb, 3072u);
  EXPECT_EQ(name_at(w->qos, w->jobs[2].qos), "urgent");
  EXPECT_EQ(name_at(w->qos, w->jobs[3].qos), "");
  EXPECT_EQ(name_at(w->accounts, w->jobs[0].account), "physics");
  EXPECT_EQ(name_at(w->accounts, w->jobs[1].account), "");
  EXPECT_EQ(name_at(w->licenses, w->jobs[0].licenses), "matlab:2");
  EXPECT_EQ(w->jobs[2].licenses, 0u);
}

}  // namespace
}  // namespace ym::trace
