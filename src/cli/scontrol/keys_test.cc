// SPDX-License-Identifier: Apache-2.0
// Every key that scontrol(1) of Slurm 26.05 documents, and what it does here: taken, or refused in
// so many words. A key that is forgotten fails.
#include "cli/scontrol/keys.h"

#include <gtest/gtest.h>

#include "cli/common/made_up_rows.h"
#include "cli/scontrol/reservation.h"

namespace ym::cli {
namespace {

using made_up::kNow;

struct Documented {
  std::string_view word;
  std::string_view refusal;  // "" if it is taken
};

constexpr std::string_view kNotHere = "Requested operation not supported on this system";

constexpr Documented kJob[] = {
    {"Account=a", ""},
    {"AdminComment=a", ""},
    {"ArrayTaskThrottle=3", ""},
    {"BurstBuffer=", ""},
    {"BurstBuffer=x", kNotHere},
    {"Clusters=x", kNotHere},
    {"ClusterFeatures=x", ""},
    {"Comment=x", ""},
    {"ContainerID=x", ""},
    {"Contiguous=yes", ""},
    {"CoreSpec=1", ""},
    {"CPUsPerTask=2", ""},
    {"Deadline=now+1day", ""},
    {"DelayBoot=5", ""},
    {"Dependency=afterok:7", ""},
    {"EligibleTime=now", ""},
    {"EndTime=now+1hour", ""},
    {"ExcNodeList=n1", ""},
    {"Extra=x", ""},
    {"Features=a&b", ""},
    {"Gres=gpu:1", ""},
    {"Licenses=a:1", ""},
    {"MailType=END,FAIL", ""},
    {"MailType=x", "Invalid MailType: x"},
    {"MailUser=m", ""},
    {"MinCPUsNode=2", ""},
    {"MinMemoryCPU=50", ""},
    {"MinMemoryNode=1G", ""},
    {"MinTmpDiskNode=5", ""},
    {"TimeMin=1", ""},
    {"JobName=x", ""},
    {"Name=x", ""},
    {"Nice", ""},
    {"Nice=-3", ""},
    {"NodeList=n1", ""},
    {"NumCPUs=2-4", ""},
    {"NumNodes=1-2", ""},
    {"NumTasks=3", ""},
    {"OverSubscribe=yes", ""},
    {"Partition=p", ""},
    {"Prefer=x", ""},
    {"Priority=5", ""},
    {"QOS=q", ""},
    {"Reboot=yes", ""},
    {"ReqCores=2", ""},
    {"ReqNodeList=n1", ""},
    {"ReqNodes=2", ""},
    {"ReqProcs=2", ""},
    {"ReqSockets=2", ""},
    {"ReqThreads=2", ""},
    {"Requeue=1", ""},
    {"ReservationName=r", ""},
    {"ResetAccrueTime", ""},
    {"SiteFactor=5", ""},
    {"StdErr=/x", ""},
    {"StdIn=/x", ""},
    {"StdOut=/x", ""},
    {"Shared=no", ""},
    {"StartTime=now", ""},
    {"Switches=1@10:00", ""},
    {"wait-for-switch=5", ""},
    {"TasksPerNode=2", ""},
    {"ThreadSpec=1", ""},
    {"TimeLimit=+5", ""},
    {"TimeLimit=UNLIMITED", ""},
    {"WCKey=w", ""},
    {"WorkDir=/tmp", ""},
};

TEST(Keys, OfAJobAreAllThere) {
  for (const Documented& one : kJob) {
    auto made = job_update(parse_assignments({"JobId=7", std::string(one.word)}).value(), kNow);
    if (one.refusal.empty()) {
      EXPECT_TRUE(made) << one.word << ": " << made.error().text;
      continue;
    }
    ASSERT_FALSE(made) << one.word;
    EXPECT_TRUE(made.error().text.starts_with(one.refusal)) << made.error().text;
  }
}

constexpr Documented kNode[] = {
    {"ActiveFeatures=a", ""},
    {"AvailableFeatures=a,b", ""},
    {"Features=a", ""},
    {"CertToken=x", kNotHere},
    {"Comment=x", ""},
    {"CpuBind=core", ""},
    {"Extra=x", ""},
    {"Gres=gpu:2", ""},
    {"InstanceId=i", ""},
    {"InstanceType=t", ""},
    {"NodeAddr=1.2.3.4", ""},
    {"NodeHostname=h", ""},
    {"Reason=x", ""},
    {"ResumeAfter=60", ""},
    {"ResumeAfter=INFINITE", ""},
    {"State=CANCEL_REBOOT", ""},
    {"State=RESUME", ""},
    {"State=UNDRAIN", ""},
    {"State=FUTURE", ""},
    {"State=NoResp", ""},
    {"State=POWER_DOWN", ""},
    {"State=POWER_DOWN_ASAP", ""},
    {"State=POWER_DOWN_FORCE", ""},
    {"State=POWER_UP", ""},
    {"State=DRAIN", "You must specify a reason"},
    {"State=FAIL", "You must specify a reason"},
    {"State=DOWN", "You must specify a reason"},
    {"Topology=x", kNotHere},
    {"Weight=7", ""},
};

TEST(Keys, OfANodeAreAllThere) {
  for (const Documented& one : kNode) {
    auto made = node_update(parse_assignments({"NodeName=n1", std::string(one.word)}).value());
    if (one.refusal.empty()) {
      EXPECT_TRUE(made) << one.word << ": " << made.error().text;
      continue;
    }
    ASSERT_FALSE(made) << one.word;
    EXPECT_TRUE(made.error().text.starts_with(one.refusal)) << made.error().text;
  }
}

constexpr std::string_view kPartition[] = {
    "AllocNodes=n1",
    "AllowAccounts=a",
    "AllowGroups=g",
    "AllowQOS=q",
    "Alternate=p",
    "CpuBind=core",
    "Default=yes",
    "DefaultTime=10",
    "DefMemPerCPU=5",
    "DefMemPerNode=5",
    "DenyAccounts=a",
    "DenyQOS=q",
    "DisableRootJobs=no",
    "ExclusiveTopo=no",
    "ExclusiveUser=yes",
    "GraceTime=5",
    "Hidden=yes",
    "JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=5",
    "LLN=yes",
    "MaxCPUsPerNode=4",
    "MaxCPUsPerSocket=4",
    "MaxMemPerCPU=5",
    "MaxMemPerNode=5",
    "MaxNodes=UNLIMITED",
    "MaxTime=1:00:00",
    "MinNodes=1",
    "Nodes=n1",
    "Nodes+=n2",
    "OverSubscribe=force",
    "OverTimeLimit=5",
    "PowerDownOnIdle=yes",
    "PreemptMode=cancel",
    "Priority=5",
    "PriorityJobFactor=5",
    "PriorityTier=5",
    "QOS=q",
    "ReqResv=yes",
    "ResumeTimeout=5",
    "RootOnly=yes",
    "Shared=yes:2",
    "State=drain",
    "SuspendTime=INFINITE",
    "SuspendTimeout=5",
    "Topology=t",
    "TRESBillingWeights=CPU=1.0",
};

TEST(Keys, OfAPartitionAreAllThere) {
  for (std::string_view word : kPartition) {
    auto made = partition_update(parse_assignments({"PartitionName=p", std::string(word)}).value());
    ASSERT_TRUE(made) << word << ": " << made.error().text;
    EXPECT_FALSE(made->changed.empty()) << word;
  }
}

constexpr std::string_view kReservation[] = {
    "Accounts=a",
    "AllowedPartitions=p",
    "BurstBuffer=1GB",
    "Comment=x",
    "CoreCnt=4",
    "Duration=5",
    "EndTime=now+1day",
    "Features=a",
    "Flags=MAINT",
    "Groups=g",
    "Licenses=a",
    "MaxStartDelay=5",
    "NodeCnt=2",
    "Nodes=ALL",
    "PartitionName=p",
    "QOS=q",
    "Skip",
    "StartTime=now+1h",
    "TRES=node=2",
    "TRESPerNode=cpu=2",
    "Users=root",
    "Users+=root",
    "Flags-=DAILY",
    "Duration+=10",
    "Nodes-=n1",
};

TEST(Keys, OfAReservationAreAllThere) {
  ReservationRow known{.reservation = {.name = "r"}, .nodes = "n[1-2]"};
  for (std::string_view word : kReservation) {
    auto words = parse_assignments({"ReservationName=r", std::string(word)});
    ASSERT_TRUE(words) << word;
    auto made = reservation_update(*words, known, kNow, false);
    EXPECT_TRUE(made) << word << ": " << made.error().text;
  }
}

TEST(Keys, OfAStepAreItsLimit) {
  auto made = step_update(parse_assignments({"StepId=7.1", "TimeLimit=5"}).value());
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->step, StepId{1});
  EXPECT_EQ(made->time_limit_s, 300u);
  made = step_update(parse_assignments({"StepId=7", "TimeLimit=-5"}).value());
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->step);
  EXPECT_EQ(made->time_limit_change_s, -300);
  EXPECT_FALSE(step_update(parse_assignments({"StepId=7.1"}).value()));
  EXPECT_FALSE(step_update(parse_assignments({"StepId=x", "TimeLimit=5"}).value()));
  EXPECT_FALSE(step_update(parse_assignments({"StepId=7", "Colour=red"}).value()));
}

TEST(Keys, OfNewNodesAreThoseOfSlurmConf) {
  auto made =
      new_nodes({"NodeName=d[1-2]", "CPUs=4", "RealMemory=1000", "Features=a,b", "State=CLOUD"});
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_EQ(made->nodes.size(), 2u);
  EXPECT_EQ(made->nodes[1].name, "d2");
  EXPECT_EQ(made->nodes[1].cpus, 4u);
  EXPECT_TRUE(made->nodes[1].dynamic);
  auto bad = new_nodes({"NodeName=d1", "Colour=red", "State=CLOUD"});
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().text.starts_with("scontrol: error: ")) << bad.error().text;
  EXPECT_FALSE(new_nodes({"NodeName=d1", "State=DOWN"}));
}

TEST(Keys, MayBeShortenedAndMistypedOnesAreGuessed) {
  auto made = job_update(parse_assignments({"JobId=7", "reset", "timel=5"}).value(), kNow);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->patch.reset_accrue, true);
  EXPECT_EQ(made->patch.time_limit_s, 300u);
  auto wrong = job_update(parse_assignments({"JobId=7", "TimeLimti=5"}).value(), kNow);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text,
            "Update of this parameter is not supported: TimeLimti=5; did you mean TimeLimit?\n"
            "Request aborted");
}

TEST(Keys, WithoutAnIdTheNameSaysWhich) {
  auto made =
      job_update(parse_assignments({"JobName=x", "UserID=ada", "TimeLimit=5"}).value(), kNow);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->name, "x");
  EXPECT_EQ(made->user, "ada");
  EXPECT_FALSE(made->patch.name);
  EXPECT_FALSE(job_update(parse_assignments({"JobName=x"}).value(), kNow));
}

TEST(Keys, StandInTheManualPage) {
  std::string page = scontrol_page().description;
  for (KeyKind kind :
       {KeyKind::Job, KeyKind::Step, KeyKind::Node, KeyKind::Partition, KeyKind::Reservation})
    for (const KeyInfo& key : keys_of(kind)) {
      EXPECT_NE(page.find("\n" + std::string(key.name)), std::string::npos) << key.name;
      EXPECT_FALSE(key.help.empty()) << key.name;
    }
  for (const Verb& verb : scontrol_verbs())
    EXPECT_NE(page.find("\n" + std::string(verb.name) + " "), std::string::npos) << verb.name;
}

}  // namespace
}  // namespace ym::cli
