// SPDX-License-Identifier: Apache-2.0
#include "cli/sacct/sacct.h"

#include <gtest/gtest.h>

#include "cli/common/made_up_rows.h"

namespace ym::cli {
namespace {

using made_up::kNow;
using made_up::pending;
using made_up::running;
using made_up::spec;

SacctSettings settings(const std::vector<std::string>& arguments) {
  auto parsed = parse_command(sacct_page(), sacct_table(), arguments, Operands::Mix);
  EXPECT_FALSE(parsed.exit_code);
  return parsed.settings;
}

StepRow step(JobId job, StepId id, const char* name, ExitStatus exit = {}) {
  StepRow row{.job = job};
  row.step = {
      .id = id, .name = name, .tasks = 2, .start = Instant::from_unix_seconds(1'700'000'060)};
  row.step.shares = {{.node = {1}, .tasks = 2, .cpus = 2}};
  row.step.worst = exit;
  row.step.usage.tasks = 2;
  row.step.usage.total = {.user_ms = 1500, .system_ms = 250, .max_rss_kb = 4096};
  row.step.usage.max_rss_kb = {.value = 3072, .task = 1, .node = "n1"};
  row.nodes = "n1";
  row.end = Instant::from_unix_seconds(1'700'000'070);
  return row;
}

std::vector<HistoryRow> history() {
  HistoryRow done{.job = running(7, spec("weather"))};
  done.job.job.state = JobState::Cancelled;
  done.job.job.killed_by = {1000};
  done.job.job.exit = {.signal = 15};
  done.job.job.end = Instant::from_unix_seconds(1'700'000'100);
  done.steps = {step({7}, kBatchStep, "batch", {.signal = 15}), step({7}, {0}, "hostname"),
                step({7}, {1}, "bad", {.code = 2})};
  HistoryRow waits{.job = pending(8, spec("later"))};
  waits.job.job.array_job = {8};
  waits.job.job.array =
      Ref<ArrayTasks>(ArrayTasks{.waiting = IndexSet::range(4, 9), .max_running = 2});
  return {done, waits};
}

std::string shown(const std::vector<std::string>& arguments) {
  auto out = render_history(settings(arguments), {}, history(), kNow);
  return out ? *out : "error: " + out.error().text;
}

TEST(Sacct, ShowsJobsAndTheirSteps) {
  EXPECT_EQ(shown({}),
            "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"
            "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
            "7               weather      debug                     4 CANCELLED+     0:15 \n"
            "7.batch           batch                                2  CANCELLED     0:15 \n"
            "7.0            hostname                                2  COMPLETED      0:0 \n"
            "7.1                 bad                                2     FAILED      2:0 \n"
            "8_[4-9%2]         later      debug                     0    PENDING      0:0 \n");
}

TEST(Sacct, ShowsJobsOnlyOnRequest) {
  EXPECT_EQ(shown({"-X", "-n", "-P", "-o", "jobid,state"}),
            "7|CANCELLED by 1000\n8_[4-9%2]|PENDING\n");
  EXPECT_EQ(shown({"-X", "-n", "-p", "-o", "jobid,exitcode"}), "7|0:15|\n8_[4-9%2]|0:0|\n");
}

TEST(Sacct, TakesTheStepsAndElementsThatAreNamed) {
  EXPECT_EQ(shown({"-nP", "-j", "7.batch", "-o", "jobid"}), "7.batch\n");
  EXPECT_EQ(shown({"-nP", "-j", "7.0", "-o", "JobID,jobidraw"}), "7.0|7.0\n");
  EXPECT_EQ(shown({"-nPX", "-j", "8", "-o", "jobid"}), "8_[4-9%2]\n");
  EXPECT_EQ(shown({"-nPX", "-j", "9", "-o", "jobid"}), "");
}

TEST(Sacct, TellsTimesAndWhatWasUsed) {
  EXPECT_EQ(shown({"-nP", "-j", "7.0", "-o",
                   "elapsed,elapsedraw,totalcpu,usercpu,maxrss,averss,"
                   "maxrssnode,maxrsstask,ntasks,cputimeraw"}),
            "00:00:10|10|00:01.750|00:01.500|3M|2M|n1|1|2|20\n");
  EXPECT_EQ(shown({"-nPX", "-j", "7", "-o", "elapsed,totalcpu,maxrss,alloctres,nodelist"}),
            "00:00:40|00:05.250||cpu=4,mem=1G,node=2,billing=4|n[1-2]\n");
  EXPECT_EQ(shown({"-nPX", "-j", "8", "-o", "start,end,elapsed,nodelist"}),
            "Unknown|Unknown|00:00:00|None assigned\n");
}

TEST(Sacct, TakesWidths) {
  EXPECT_EQ(shown({"-nX", "-j", "7", "-o", "state%20,jobname%-9|"}).substr(0, 6), "error:");
  EXPECT_EQ(shown({"-nX", "-j", "7", "-o", "state%20,jobname%-9"}),
            "   CANCELLED by 1000 weather   \n");
}

TEST(Sacct, ShowsEveryFieldIfAskedForAll) {
  std::string all = shown({"-PX", "-j", "7", "-o", "ALL"});
  EXPECT_NE(all.find("|JobID|"), std::string::npos) << all;
  EXPECT_NE(all.find("|WorkDir"), std::string::npos) << all;
}

TEST(Sacct, GuessesWhatWasMeant) {
  EXPECT_EQ(shown({"-o", "jobname,stats"}),
            "error: Invalid field requested: \"stats\"; did you mean State?");
}

TEST(Sacct, AsksForWhatTheUserMeans) {
  auto question = [](const std::vector<std::string>& arguments, std::uint32_t uid = 1000) {
    return sacct_question(settings(arguments), kNow, uid);
  };
  EXPECT_EQ(question({})->filter.users, std::vector<std::string>{"1000"});
  EXPECT_TRUE(question({}, 0)->filter.users.empty());
  EXPECT_TRUE(question({"-a"})->filter.users.empty());
  EXPECT_EQ(question({"-u", "bob"})->filter.users, std::vector<std::string>{"bob"});
  EXPECT_TRUE(question({"-j", "7"})->since.unix_ms == 0);
  EXPECT_LE(question({})->since, kNow);
  EXPECT_EQ(question({"-S", "now-1hour"})->since, kNow - std::chrono::hours(1));
  EXPECT_FALSE(question({"-S", "now", "-E", "now-1hour"}));
  EXPECT_FALSE(question({"-S", "someday"}));
  EXPECT_FALSE(question({"-X"})->steps);
}

// Ten jobs that differ in one wish each, and the filter that finds it.
TEST(Sacct, EachFilterFindsWhatItIsAbout) {
  std::vector<HistoryRow> rows;
  auto add = [&](std::uint32_t id, auto change) {
    HistoryRow row{.job = running(id, spec("job"))};
    JobSpec mine = *row.job.job.spec;
    JobExtras extras = *mine.extras;
    change(row, mine, extras);
    mine.extras = Ref(extras);
    row.job.job.spec = Ref(mine);
    rows.push_back(std::move(row));
  };
  add(1, [](auto&, auto&, JobExtras& extras) { extras.features = "fast&big"; });
  add(2, [](auto&, auto&, JobExtras& extras) { extras.features = "[fast|slow]"; });
  add(3, [](auto&, auto&, JobExtras& extras) { extras.wckey = "paper"; });
  add(4, [](HistoryRow& row, auto&, auto&) {
    row.job.job.state = JobState::Pending;
    row.job.reason = Reason::Licenses;
  });
  add(5, [](auto&, JobSpec& one, auto&) { one.time_limit_s = 3600; });
  add(6, [](HistoryRow& row, auto&, auto&) { row.job.job.state = JobState::Timeout; });
  auto found = [&](const std::vector<std::string>& filter) {
    std::vector<std::string> arguments{"-nPX", "-o", "jobid"};
    arguments.insert(arguments.end(), filter.begin(), filter.end());
    auto out = render_history(settings(arguments), {}, rows, kNow);
    return out ? *out : "error: " + out.error().text;
  };
  EXPECT_EQ(found({"-C", "fast"}), "1\n2\n");
  EXPECT_EQ(found({"-C", "fast,big"}), "1\n");
  EXPECT_EQ(found({"--constraints=slow"}), "2\n");
  EXPECT_EQ(found({"-C", "fas"}), "");
  EXPECT_EQ(found({"-W", "paper,other"}), "3\n");
  EXPECT_EQ(found({"-R", "Licenses"}), "4\n");
  EXPECT_EQ(found({"-R", "Priority"}), "");
  EXPECT_EQ(found({"-F", "SchedBackfill"}), "");
  EXPECT_EQ(found({"-F", "StartReceived"}), "1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(found({"-x", "1"}), "");
  EXPECT_EQ(found({"-k", "1:00:00"}), "5\n");
  EXPECT_EQ(found({"-k", "0:50:00", "-K", "1:10:00"}), "5\n");
  EXPECT_EQ(found({"-s", "TO"}), "6\n");
  EXPECT_EQ(found({"-i", "3-9"}), "");
  EXPECT_EQ(found({"-I", "1-64"}), "1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(found({"-g", "nosuchgroup"}), "");
  EXPECT_EQ(found({"-j", "2,5"}), "2\n5\n");
}

TEST(Sacct, ShowsTheLimitOfAStepWhereItHasOne) {
  std::vector<HistoryRow> rows = history();
  rows[0].steps[1].step.limit_end = rows[0].steps[1].step.start + std::chrono::minutes(3);
  auto out = render_history(settings({"-nP", "-j", "7", "-o", "jobid,timelimit,timelimitraw"}), {},
                            rows, kNow);
  EXPECT_NE(out->find("7.batch||\n7.0|00:03:00|3\n7.1||\n"), std::string::npos) << *out;
}

TEST(Sacct, TellsUsageByTheNamesOfResources) {
  EXPECT_EQ(shown({"-nP", "-j", "7.0", "-o", "TRESUsageInTot,TRESUsageInAve"}),
            "cpu=00:00:01,fs/disk=0,mem=4096K,pages=0,vmem=0K|"
            "cpu=00:00:00,fs/disk=0,mem=2048K,pages=0,vmem=0K\n");
  EXPECT_EQ(shown({"-nP", "-j", "7.0", "-o", "TRESUsageInMax,TRESUsageInMaxTask"}),
            "fs/disk=0,mem=3072K,pages=0,vmem=0K|fs/disk=0,mem=1,pages=0,vmem=0\n");
  EXPECT_EQ(shown({"-nPX", "-j", "7", "-o", "TRESUsageInTot,TRESUsageOutTot"}), "|\n");
}

TEST(Sacct, FillsInFileNamesOnRequest) {
  std::string raw = shown({"-nPX", "-j", "7", "-o", "stdout"});
  std::string full = shown({"-nPX", "-j", "7", "--expand-patterns", "-o", "stdout"});
  EXPECT_NE(raw, full);
  EXPECT_EQ(full.find('%'), std::string::npos) << full;
}

TEST(Sacct, WritesJson) {
  std::string json = shown({"--json", "-j", "7"});
  EXPECT_NE(json.find("\"job_id\": 7"), std::string::npos) << json;
  EXPECT_NE(json.find("\"7.batch\""), std::string::npos);
  EXPECT_NE(json.find("\"CANCELLED\""), std::string::npos);
}

}  // namespace
}  // namespace ym::cli
