// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/scontrol.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include "cli/common/made_up_rows.h"

namespace ym::cli {
namespace {

using made_up::kNow;
using made_up::node;
using made_up::partition;
using made_up::pending;
using made_up::running;
using made_up::spec;

class Records : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
};

TEST_F(Records, AJobIsShownAsSlurmDoes) {
  EXPECT_EQ(job_record(running(7, spec("weather")), kNow, {}),
            "JobId=7 JobName=weather\n"
            "   SLUID=s0000000000007\n"
            "   UserId=ada(1000) GroupId=4242(4242) MCS_label=N/A\n"
            "   Priority=100 Nice=0 Account=(null) QOS=(null)\n"
            "   JobState=RUNNING Reason=None Dependency=(null)\n"
            "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
            "   RunTime=01:00:01 TimeLimit=02:00:00 TimeMin=N/A\n"
            "   SubmitTime=2023-11-14T22:13:20 EligibleTime=2023-11-14T22:13:20\n"
            "   AccrueTime=2023-11-14T22:13:20\n"
            "   StartTime=2023-11-14T22:14:20 EndTime=2023-11-15T00:14:20 Deadline=N/A\n"
            "   SuspendTime=None SecsPreSuspend=0\n"
            "   Partition=debug AllocNode:Sid=login:0\n"
            "   ReqNodeList=(null) ExcNodeList=(null)\n"
            "   NodeList=n[1-2]\n"
            "   BatchHost=n1\n"
            "   NumNodes=2 NumCPUs=4 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
            "   ReqTRES=cpu=1,node=1,billing=1\n"
            "   AllocTRES=cpu=4,mem=1G,node=2,billing=4\n"
            "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
            "   MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0\n"
            "   Features=(null) DelayBoot=00:00:00\n"
            "   OverSubscribe=NO Exclusive=NO Contiguous=0 Licenses=(null) LicensesAlloc=(null) "
            "Network=(null)\n"
            "   Command=/data/ada/job.sh\n"
            "   WorkDir=/data/ada\n"
            "   StdErr=\n"
            "   StdIn=/dev/null\n"
            "   StdOut=/data/ada/slurm-7.out\n\n");
}

TEST_F(Records, OneLineIsOneLine) {
  std::string text = job_record(pending(7, spec("x")), kNow, {.one_line = true});
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_TRUE(text.starts_with("JobId=7 JobName=x SLUID=")) << text;
}

TEST_F(Records, ANodeIsShownAsSlurmDoes) {
  NodeRow row = node(1, 4);
  row.node.reason = "look at it";
  row.node.reason_uid = {4242};
  row.node.reason_time = Instant::from_unix_seconds(1'700'000'000);
  EXPECT_EQ(node_record(row, {}),
            "NodeName=n1 CoresPerSocket=1 \n"
            "   CPUAlloc=4 CPUEfctv=4 CPUTot=4 CPULoad=0.00\n"
            "   AvailableFeatures=(null)\n"
            "   ActiveFeatures=(null)\n"
            "   Gres=(null)\n"
            "   NodeAddr=n1 NodeHostName=n1\n"
            "   RealMemory=2000 AllocMem=0 FreeMem=N/A Sockets=4 Boards=1\n"
            "   State=ALLOCATED ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n"
            "   Partitions=debug \n"
            "   BootTime=None SlurmdStartTime=None\n"
            "   LastBusyTime=Unknown ResumeAfterTime=None\n"
            "   CfgTRES=cpu=4,mem=2000M,billing=4\n"
            "   AllocTRES=cpu=4\n"
            "   Reason=look at it [4242@2023-11-14T22:13:20]\n\n");
}

TEST_F(Records, APartitionIsShownAsSlurmDoes) {
  EXPECT_EQ(partition_record(partition(1, "debug", true), {}),
            "PartitionName=debug\n"
            "   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"
            "   AllocNodes=ALL Default=YES QoS=N/A\n"
            "   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO ExclusiveTopo=NO GraceTime=0 "
            "Hidden=NO\n"
            "   MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED "
            "MaxCPUsPerSocket=UNLIMITED\n"
            "   Nodes=n[1-4]\n"
            "   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO\n"
            "   OverTimeLimit=NONE PreemptMode=OFF\n"
            "   State=UP TotalCPUs=16 TotalNodes=4 SelectTypeParameters=NONE\n"
            "   JobDefaults=(null)\n"
            "   DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n"
            "   TRES=cpu=16,node=4,billing=16\n\n");
}

TEST_F(Records, TheConfigurationIsPadded) {
  EXPECT_EQ(config_text({.values = {{"ClusterName", "emil"}}}, kNow),
            "Configuration data as of 2023-11-14T23:14:21\nClusterName             = emil\n");
}

Result<JobUpdate> patch(const Words& words) {
  auto assignments = parse_assignments(words);
  if (!assignments) return std::unexpected(assignments.error());
  return job_update(*assignments, kNow);
}

TEST(Update, OfAJobTakesItsKeysInAnyCase) {
  auto made = patch({"JobId=7_[1-3]", "timelimit=1:00:00", "PRIORITY=9", "Nice=-5", "NumNodes=2-3",
                     "Requeue=0", "Comment=two words"});
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->job, "7_[1-3]");
  EXPECT_EQ(made->patch.time_limit_s, 3600u);
  EXPECT_EQ(made->patch.priority, 9u);
  EXPECT_EQ(made->patch.nice, -5);
  EXPECT_EQ(made->patch.min_nodes, 2u);
  EXPECT_EQ(made->patch.max_nodes, 3u);
  EXPECT_EQ(made->patch.requeue, false);
  EXPECT_EQ(made->patch.comment, "two words");
  EXPECT_FALSE(made->patch.account);
}

TEST(Update, RefusesWhatItDoesNotUnderstand) {
  EXPECT_FALSE(patch({"JobId=7", "Colour=red"}));
  EXPECT_FALSE(patch({"JobId=7", "timelimit"}));
  EXPECT_FALSE(patch({"JobId=7", "Name+=5"}));
  EXPECT_FALSE(patch({"JobId=7", "Priority=high"}));
  EXPECT_FALSE(patch({"Priority=5"}));
}

TEST(Update, OfANodeWantsAReasonForTakingItAway) {
  auto update = [](const Words& words) { return node_update(parse_assignments(words).value()); };
  EXPECT_FALSE(update({"NodeName=n1", "State=drain"}));
  auto made = update({"NodeName=n[1-2]", "State=drain", "Reason=fan"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->state, "DRAIN");
  EXPECT_EQ(made->reason, "fan");
  EXPECT_EQ(update({"NodeName=n1", "State=resume"}).value().state, "RESUME");
  EXPECT_FALSE(update({"NodeName=n1", "State=sleep"}));
}

TEST(Update, OfAPartitionNamesTheMembersThatChange) {
  auto made = partition_update(
      parse_assignments({"PartitionName=debug", "State=down", "MaxTime=60"}).value());
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->spec.state, PartitionState::Down);
  EXPECT_EQ(made->spec.max_time_s, 3600u);
  EXPECT_EQ(made->changed, (std::vector<std::string>{"state", "max_time_s"}));
  EXPECT_FALSE(partition_update(parse_assignments({"State=up"}).value()));
}

TEST(Verbs, MayBeShortened) {
  EXPECT_EQ(find_verb(scontrol_verbs(), "sho")->name, "show");
  EXPECT_EQ(find_verb(scontrol_verbs(), "UPDATE")->name, "update");
  EXPECT_EQ(find_verb(scontrol_verbs(), "requeue")->name, "requeue");
  EXPECT_EQ(find_verb(scontrol_verbs(), "frobnicate"), nullptr);
  EXPECT_EQ(find_verb(scontrol_verbs(), ""), nullptr);
}

std::string captured(const Words& words) {
  ScontrolContext context({});
  testing::internal::CaptureStdout();
  show_verb(context, words);
  return testing::internal::GetCapturedStdout();
}

TEST(Hosts, AreListedWithoutACluster) {
  EXPECT_EQ(captured({"hostnames", "n[1-3],m7"}), "n1\nn2\nn3\nm7\n");
  EXPECT_EQ(captured({"hostlist", "n1,n2,n3"}), "n[1-3]\n");
  EXPECT_EQ(captured({"hostlistsorted", "n3,n1"}), "n[1,3]\n");
}

TEST(Pids, AreShownWithTheTasksThatTheyAre) {
  StepsHere here{.rows = {{.job = {7},
                           .step = {0},
                           .tasks = {{.local = 1, .usage = {.rank = 5, .pid = 300}},
                                     {.local = 0, .usage = {.rank = 4, .pid = 299}, .ended = true}},
                           .pids = {300, 301}},
                          {.job = {7}, .step = kBatchStep, .pids = {200}}}};
  EXPECT_EQ(pids_text(here),
            "PID      JOBID    STEPID   LOCALID GLOBALID\n"
            "300      7        0        1       5       \n"
            "301      7        0        -       -       \n"
            "200      7        batch    -       -       \n");
}

TEST_F(Records, DetailsNameTheCpusThatEachNodeGave) {
  JobRow row = running(7, spec("weather"));
  std::string before = job_record(row, kNow, {.details = true});
  EXPECT_NE(before.find("     Nodes=n[1-2] CPU_IDs=(null) Mem="), std::string::npos) << before;
  row.cpu_ids = {"0-1", "2-3"};
  std::string after = job_record(row, kNow, {.details = true});
  EXPECT_NE(after.find("     Nodes=n1 CPU_IDs=0-1 Mem="), std::string::npos) << after;
  EXPECT_NE(after.find("     Nodes=n2 CPU_IDs=2-3 Mem="), std::string::npos) << after;
}

TEST_F(Records, WishesForMachinesAreShown) {
  JobSpec wish = spec("weather");
  wish.extras = Ref(JobExtras{.binding = {.threads_per_core = 1},
                              .sockets_per_node = 2,
                              .cores_per_socket = 4,
                              .core_spec = 1});
  std::string text = job_record(running(7, wish), kNow, {});
  EXPECT_NE(text.find("ReqB:S:C:T=0:0:4:1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Socks/Node=2 NtasksPerN:B:S:C=0:0:*:* CoreSpec=1\n"), std::string::npos);
}

TEST_F(Records, WhatANodeKeepsForTheSystemIsShown) {
  NodeRow row = node(1);
  NodeSpec kept = *row.node.spec;
  kept.core_spec_count = 1;
  kept.mem_spec_limit_mb = 500;
  kept.system_cpus = count_system_cpus(kept);
  row.node.spec = Ref(kept);
  std::string text = node_record(row, {});
  EXPECT_NE(text.find("CPUEfctv=3 CPUTot=4"), std::string::npos) << text;
  EXPECT_NE(text.find("   CoreSpecCount=1 MemSpecLimit=500 \n"), std::string::npos) << text;
  EXPECT_NE(text.find("CfgTRES=cpu=3,mem=1500M,billing=3"), std::string::npos) << text;
}

TEST(Reboot, WordsInAnyOrderAreAWish) {
  auto wish = reboot_wish({"asap", "NextState=Down", "reason=new kernel", "n[1-2]"});
  ASSERT_TRUE(wish);
  EXPECT_TRUE(wish->asap);
  EXPECT_EQ(wish->next, RebootNext::Down);
  EXPECT_EQ(wish->reason, "new kernel");
  EXPECT_EQ(wish->nodes, "n[1-2]");
  EXPECT_FALSE(wish->force);
  EXPECT_TRUE(reboot_wish({"Force", "n1"})->force);
  EXPECT_FALSE(reboot_wish({"ASAP"}));
  EXPECT_FALSE(reboot_wish({"n1", "n2"}));
  EXPECT_FALSE(reboot_wish({"nextstate=IDLE", "n1"}));
}

}  // namespace
}  // namespace ym::cli
