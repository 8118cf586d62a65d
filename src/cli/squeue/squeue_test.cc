// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/squeue.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/common/made_up_rows.h"
#include "cli/squeue/columns.h"
#include "model/job_fields.h"

namespace ym::cli {
namespace {

using made_up::kNow;
using made_up::pending;
using made_up::running;
using made_up::spec;

SqueueSettings settings(const std::vector<std::string>& arguments) {
  auto parsed = parse_command(squeue_page(), squeue_table(), arguments, Operands::Mix);
  EXPECT_FALSE(parsed.exit_code);
  return parsed.settings;
}

std::vector<JobRow> queue() {
  std::vector<JobRow> rows;
  rows.push_back(running(7, spec("weather")));
  rows.push_back(pending(9, spec("a-very-long-name")));
  JobRow array = pending(8, spec("array"));
  array.job.array_job = {8};
  array.job.array = Ref<ArrayTasks>(ArrayTasks{.waiting = IndexSet::range(1, 3), .max_running = 2});
  array.job.priority = 200;
  rows.push_back(array);
  JobRow ended = running(6, spec("done"));
  ended.job.state = JobState::Failed;
  ended.job.end = Instant::from_unix_seconds(1'700'000'070);
  ended.job.allocation = {};
  ended.reason = Reason::NonZeroExitCode;
  rows.push_back(ended);
  return rows;
}

std::string shown(const std::vector<std::string>& arguments) {
  auto out = render_queue(settings(arguments), queue(), kNow);
  return out ? *out : "error: " + out.error().text;
}

TEST(Squeue, ShowsTheUsualColumns) {
  EXPECT_EQ(shown({}),
            "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
            "         8_[1-3%2]     debug    array      ada PD       0:00      1 (Priority)\n"
            "                 9     debug a-very-l      ada PD       0:00      1 (Priority)\n"
            "                 7     debug  weather      ada  R    1:00:01      2 n[1-2]\n");
}

TEST(Squeue, SortsElementsOfAnArrayByTheirNumberAndThoseThatWaitBehindThem) {
  std::vector<JobRow> rows;
  JobRow waiting = pending(8, spec("array"));
  waiting.job.array_job = {8};
  waiting.job.array = Ref<ArrayTasks>(ArrayTasks{.waiting = IndexSet::range(12, 13)});
  rows.push_back(waiting);
  rows.push_back(running(9, spec("behind")));
  for (std::uint32_t task : {11u, 2u}) {
    JobRow begun = running(20 - task, spec("array"));
    begun.job.array_job = {8};
    begun.job.array_task = task;
    rows.push_back(begun);
  }
  auto sorted = [&](const std::vector<std::string>& arguments) {
    return *render_queue(settings(arguments), rows, kNow);
  };
  EXPECT_EQ(sorted({"-h", "-S", "i", "-o", "%i"}), "8_2\n8_11\n8_[12-13]\n9\n");
  EXPECT_EQ(sorted({"-h", "-r", "-S", "i", "-o", "%i"}), "8_2\n8_11\n8_12\n8_13\n9\n");
  EXPECT_EQ(sorted({"-h", "-S", "-F,K", "-o", "%i"}), "9\n8_2\n8_11\n8_[12-13]\n");
}

TEST(Squeue, ShowsEndedJobsOnRequest) {
  EXPECT_EQ(
      shown({"-t", "F", "-h"}),
      "                 6     debug     done      ada  F       0:10      2 (NonZeroExitCode)\n");
  EXPECT_NE(shown({"-t", "all"}).find(" F "), std::string::npos);
}

TEST(Squeue, ShowsThoseWhoHaveRunForSoLong) {
  EXPECT_EQ(shown({"-h", "-o", "%A", "--running-over=1:00:00"}), "7\n");
  EXPECT_EQ(shown({"-h", "-o", "%A", "--running-over=1:00:01"}), "");
  EXPECT_EQ(shown({"-h", "-o", "%A", "-t", "all", "--running-under=1"}), "6\n");
  EXPECT_EQ(shown({"-h", "-o", "%A", "--running-over=30", "--running-under=90"}), "7\n");
  EXPECT_TRUE(settings({"--running-over=1-0"}).running_over == std::chrono::hours(24));
}

TEST(Squeue, ShowsJobsOfOthersOnRequest) {
  SqueueSettings wish = settings({"-h", "-o", "%A", "-t", "R", "--notme"});
  wish.not_user = 1000;
  EXPECT_EQ(*render_queue(wish, queue(), kNow), "");
  wish.not_user = 7;
  EXPECT_EQ(*render_queue(wish, queue(), kNow), "7\n");
  EXPECT_TRUE(has(squeue_plan(wish).fields, JobField::User));
}

TEST(Squeue, ShowsHowNodesAreSharedAndHowJobsEnded) {
  EXPECT_EQ(shown({"-h", "-t", "R", "-O", "exclusive:|,oversubscribe:|,segmentsize:|,cronjob:|"}),
            "NO|NO|0|No|\n");
  EXPECT_EQ(shown({"-h", "-t", "F", "-O", "exit_code:|,derivedec:|,licensesalloc:|"}),
            "0:0|0:0|(null)|\n");
  EXPECT_EQ(shown({"-h", "-t", "R", "-o", "%s"}), "s0000000000007\n");
}

TEST(Squeue, GivesEachElementALineOnRequest) {
  EXPECT_EQ(shown({"-r", "-h", "-o", "%i", "-t", "PD"}), "8_1\n8_2\n8_3\n9\n");
}

TEST(Squeue, TakesFormatsByLetterAndByName) {
  EXPECT_EQ(shown({"-h", "-t", "R", "-o", "%A|%T|%C|%l|%L|%u|%U|%r|%Q"}),
            "7|RUNNING|4|2:00:00|59:59|ada|1000|None|100\n");
  EXPECT_EQ(shown({"-h", "-t", "R", "-O", "jobid:5,sluid:|,name:.9"}),
            "7    s0000000000007|  weather\n");
  EXPECT_EQ(shown({"-h", "-t", "R", "-O", "tres-alloc:|,minmemory:|,stdout:|"}),
            "cpu=4,mem=1G,node=2,billing=4|0|/data/ada/slurm-7.out|\n");
  EXPECT_EQ(shown({"-h", "-t", "R", "-o", "plain"}), "plain\n");
  EXPECT_EQ(shown({"-h", "-t", "R", "-o", "%i%"}), "7\n");
}

std::vector<std::string> complaints(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  EXPECT_TRUE(render_queue(settings(arguments), {}, kNow, {}, &out));
  return out;
}

TEST(Squeue, TellsOfUnknownColumnsAndPassesOver) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(shown({"-h", "-t", "R", "-o", "%A|%.5?|%t"}), "7|%.5?|R\n");
  EXPECT_EQ(complaints({"-o", "%A|%?"}), Texts{"Invalid job format specification: ?"});
  EXPECT_EQ(shown({"-h", "-t", "R", "-O", "jobid:3,Nonsense,state:|"}), "7  RUNNING|\n");
  EXPECT_EQ(complaints({"-O", "jobid,Nonsense"}),
            Texts{"Invalid job format specification: Nonsense"});
  EXPECT_EQ(complaints({"-O", "jobidd"}),
            Texts{"Invalid job format specification: jobidd; did you mean jobid?"});
  EXPECT_EQ(complaints({"-s", "-o", "%a"}), Texts{"Invalid job step format specification: a"});
  EXPECT_EQ(complaints({"-o", "%all"}), Texts{});
}

// As the manual page lists them.
constexpr std::string_view kJobFields =
    "Account AccrueTime admin_comment AllocNodes AllocSID ArrayJobID ArrayTaskID AssocID "
    "BatchFlag BatchHost BoardsPerNode BurstBuffer BurstBufferState Cluster ClusterFeature "
    "Command Comment Contiguous Container ContainerID ContainerType Cores CoreSpec cpus-per-task "
    "cpus-per-tres CronJob Deadline DelayBoot Dependency DerivedEC EligibleTime EndTime Exclusive "
    "ExcNodes exit_code "
    "Feature GroupID GroupName HetJobID HetJobIDSet HetJobOffset JobArrayID JobID "
    "LastSchedEval Licenses LicensesAlloc MaxCPUs MaxNodes MCSLabel mem-per-tres MinCpus MinMemory "
    "MinTime "
    "MinTmpDisk Name Network Nice NodeList NTPerBoard NTPerCore NTPerNode NTPerSocket "
    "NumCPUs NumNodes NumTasks Origin OriginRaw OverSubscribe Partition PendingTime "
    "PreemptTime Prefer Priority PriorityLong Profile QOS Reason ReasonList Reboot ReqNodes "
    "ReqSwitch Requeue Reservation ResizeTime RestartCnt SchedNodes SCT SegmentSize Sluid "
    "SiblingsActive SiblingsActiveRaw SiblingsViable SiblingsViableRaw Sockets SPerBoard "
    "StartTime State StateCompact STDERR STDIN STDOUT SubmitTime system_comment Threads "
    "TimeLeft TimeLimit TimeUsed tres tres-alloc tres-bind tres-freq tres-per-job "
    "tres-per-node tres-per-socket tres-per-task UserID UserName Wait4Switch WCKey WorkDir ";
constexpr std::string_view kStepFields =
    "ArrayJobID ArrayTaskID Cluster Container ContainerID CPUFreq cpus-per-tres JobID mem-per-tres "
    "Name Network Nodes NumCPUs NumTasks Partition ResvPort StartTime STDERR STDIN STDOUT StepID "
    "StepName StepState "
    "TimeLimit TimeUsed tres-bind tres-freq tres-per-job tres-per-node tres-per-socket "
    "tres-per-step tres-per-task UserID UserName ";

TEST(Squeue, KnowsEveryFieldOfTheManual) {
  for (std::string_view field : split_words(kJobFields, ' '))
    EXPECT_EQ(complaints({"-O", std::string(field)}), std::vector<std::string>{}) << field;
  for (std::string_view field : split_words(kStepFields, ' '))
    EXPECT_EQ(complaints({"-s", "-O", std::string(field)}), std::vector<std::string>{}) << field;
}

TEST(Squeue, ShowsOnlyTheElementsThatAreAskedFor) {
  auto asked = [](const char* target, const char* more = "-h") {
    return render_queue(settings({"-h", "-j", target, "-o", "%i %K", more}), {queue()[2]}, kNow)
        .value();
  };
  EXPECT_EQ(asked("8_2"), "8_2 2\n");
  EXPECT_EQ(asked("8_[2-3]"), "8_[2-3%2] 2-3%2\n");
  EXPECT_EQ(asked("8_[2-3]", "-r"), "8_2 2\n8_3 3\n");
  EXPECT_EQ(asked("8_1,8_3"), "8_[1,3%2] 1,3%2\n");
  EXPECT_EQ(asked("8"), "8_[1-3%2] 1-3%2\n");
  EXPECT_EQ(asked("8_9"), "");
}

TEST(Squeue, GivesEachPartitionALineOnRequest) {
  JobRow row = pending(9, spec("x"));
  row.partition = "debug,long";
  EXPECT_EQ(render_queue(settings({"-h", "-P", "-o", "%i %P"}), {row}, kNow).value(),
            "9 debug\n9 long\n");
}

TEST(Squeue, AHeldJobHasNoPriority) {
  JobRow row = pending(9, spec("x"));
  row.job.holds.user = true;
  EXPECT_EQ(render_queue(settings({"-h", "-o", "%Q %p"}), {row}, kNow).value(),
            "0 0.00000000000000\n");
}

TEST(Squeue, ListsExpectedStartsInTheirOrder) {
  JobRow late = pending(1, spec("late")), soon = pending(2, spec("soon")),
         never = pending(3, spec("never"));
  soon.expected_start = kNow + std::chrono::seconds(60);
  late.expected_start = kNow + std::chrono::seconds(600);
  EXPECT_EQ(
      render_queue(settings({"--start", "-h", "-o", "%j"}), {never, late, soon}, kNow).value(),
      "soon\nlate\nnever\n");
}

TEST(Squeue, SortsAsTold) {
  EXPECT_EQ(shown({"-h", "-t", "all", "-o", "%A", "-S", "-i"}), "9\n8\n7\n6\n");
  EXPECT_EQ(shown({"-h", "-t", "all", "-o", "%A", "-S", "j"}), "9\n8\n6\n7\n");
  EXPECT_EQ(shown({"-S", "&"}).substr(0, 6), "error:");
}

TEST(Squeue, ShowsACompletingJobAsSuch) {
  JobRow row = running(7, spec("x"));
  row.job.state = JobState::Completed;
  row.job.nodes_left = {NodeId{1}};
  EXPECT_EQ(render_queue(settings({"-h", "-o", "%t %T %R"}), {row}, kNow).value(),
            "CG COMPLETING n[1-2]\n");
}

TEST(Squeue, ShowsStepsThatLive) {
  JobRow row = running(7, spec("x"));
  StepRow batch{.job = row.job.id,
                .step = {.id = kBatchStep, .name = "batch", .start = row.job.start},
                .nodes = "n1"};
  StepRow step{
      .job = row.job.id,
      .step = {.id = {0}, .name = "hostname", .start = Instant::from_unix_seconds(1'700'003'600)},
      .nodes = "n[1-2]"};
  StepRow foreign{.job = {8}, .step = {.id = {0}}};
  EXPECT_EQ(render_queue(settings({"-s"}), {row}, kNow, {batch, step, foreign}).value(),
            "         STEPID     NAME PARTITION     USER      TIME NODELIST\n"
            "            7.0 hostname     debug      ada      1:01 n[1-2]\n"
            "        7.batch    batch     debug      ada   1:00:01 n1\n");
  EXPECT_EQ(render_queue(settings({"-h", "--steps=7.0"}), {row}, kNow, {batch, step}).value(),
            "            7.0 hostname     debug      ada      1:01 n[1-2]\n");
}

TEST(Squeue, AsksTheControllerForWhatItShows) {
  JobFilter filter =
      squeue_filter(settings({"-u", "ada,1001", "-p", "debug", "-t", "pd,r", "-w", "n[1,2]"}));
  EXPECT_EQ(filter.users, (std::vector<std::string>{"ada", "1001"}));
  EXPECT_EQ(filter.partitions, (std::vector<std::string>{"debug"}));
  EXPECT_EQ(filter.states, (std::vector<JobState>{JobState::Pending, JobState::Running}));
  EXPECT_FALSE(filter.all_states);
  EXPECT_EQ(filter.nodes, "n[1-2]");
  // A job asked for by id must be found even if it has ended: that is no "Invalid job id".
  EXPECT_TRUE(squeue_filter(settings({"-j", "7,8_[1-2]"})).all_states);
}

// As the controller sends them when it was asked for these fields only.
JobRow brief(const JobRow& whole, std::uint64_t fields) {
  JobRow row{.job = only(fields, whole.job)};
  row.job.spec = Ref(only(fields, *whole.job.spec));
  if (has(fields, JobField::Reason)) {
    row.reason = whole.reason;
    row.reason_text = whole.reason_text;
  }
  if (has(fields, JobField::Partition)) row.partition = whole.partition;
  if (has(fields, JobField::Expected)) row.expected_start = whole.expected_start;
  const Allocation& held = *whole.job.allocation;
  if (has(fields, JobField::NodeCount))
    row.node_count = static_cast<std::uint32_t>(held.nodes.size());
  if (has(fields, JobField::CpuCount)) row.cpu_count = held.cpus();
  if (has(fields, JobField::Nodes)) {
    row.nodes = whole.nodes;
    row.batch_host = whole.batch_host;
    row.scheduled_nodes = whole.scheduled_nodes;
  }
  return row;
}

// Rows with something in everything that a column may look at.
std::vector<JobRow> rich_queue() {
  std::vector<JobRow> rows = queue();
  rows[0].job.suspended_for = std::chrono::seconds(7);
  rows[0].job.restarts = 2;
  rows[1].job.holds.admin = true;
  rows[1].job.dependency = Ref(Dependency::parse("afterok:3").value());
  rows[1].reason = Reason::ReqNodeNotAvail;
  rows[1].reason_text = "Reserved for maintenance";
  rows[2].expected_start = kNow + std::chrono::seconds(60);
  rows[3].job.exit = {.code = 3};
  rows[3].job.allocation = rows[0].job.allocation;
  JobRow het = pending(11, spec("het"));
  het.job.het_job = {10};
  het.job.het_offset = 1;
  het.job.het_count = 2;
  rows.push_back(het);
  JobRow special = pending(14, spec("special"));
  special.job.special_exit = true;
  rows.push_back(special);
  JobRow ending = running(12, spec("ending"));
  ending.job.state = JobState::Completed;
  ending.job.end = kNow;
  ending.job.nodes_left = {NodeId{1}, NodeId{2}};
  rows.push_back(ending);
  JobSpec full = spec("full");
  full.account = "physics";
  full.qos = "high";
  full.tasks = 6;
  full.cpus_per_task = 2;
  full.tasks_per_node = 2;
  full.min_nodes = 2;
  full.max_nodes = 4;
  full.min_cpus_per_node = 3;
  full.memory_per_cpu_mb = 512;
  full.time_limit_s = 3600;
  full.begin = full.deadline = kNow + std::chrono::hours(1);
  full.nice = 5;
  rows.push_back(pending(13, full));
  return rows;
}

TEST(Squeue, EachColumnNeedsNoMoreThanItSays) {
  for (const Column<JobView>& column : job_columns())
    for (const JobRow& whole : rich_queue()) {
      if (has(column.needs, JobField::Everything)) continue;
      JobRow less = brief(whole, column.needs);
      JobView full{.row = &whole, .now = kNow, .cluster = "c"};
      JobView part{.row = &less, .now = kNow, .cluster = "c"};
      EXPECT_EQ(column.extract(part), column.extract(full))
          << column.name << " " << whole.job.id.value;
      if (column.number) EXPECT_EQ(column.number(part), column.number(full)) << column.name;
    }
}

TEST(Squeue, AsksForTheFieldsOfItsColumnsAndSortKeysOnly) {
  auto plan = [](const std::vector<std::string>& arguments) {
    return squeue_plan(settings(arguments));
  };
  EXPECT_TRUE(plan({}).streams);
  EXPECT_FALSE(has(plan({}).fields, JobField::Priority));
  EXPECT_TRUE(has(plan({"-S", "-Q"}).fields, JobField::Priority));
  EXPECT_FALSE(plan({"-S", "-Q"}).streams);
  EXPECT_FALSE(plan({"-j", "7"}).streams);
  EXPECT_FALSE(plan({"-P"}).streams);
  EXPECT_TRUE(plan({"-u", "ada", "-o", "%i"}).streams);
  EXPECT_NE(plan({"-o", "%i"}).fields, 0u) << "nothing would be everything";
  EXPECT_EQ(plan({"-o", "%all"}).fields, 0u);
  EXPECT_EQ(plan({"--json"}).fields, 0u);
  EXPECT_EQ(plan({"-L", "matlab"}).fields, 0u);
}

TEST(Squeue, RefusesStatesThatDoNotExist) {
  testing::internal::CaptureStderr();
  auto parsed = parse_command(squeue_page(), squeue_table(), {"-t", "sleeping"}, Operands::Mix);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(parsed.settings.report.refusal.starts_with(
      "Invalid job state specified: sleeping\nValid job states include: PENDING,RUNNING,"));
}

}  // namespace
}  // namespace ym::cli
