// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/orders.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/launch/job_environment.h"

namespace ym {
namespace {

LaunchFacts facts() {
  return {.node = "n2",
          .configuration = "/etc/slurm/slurm.conf",
          .user = {.name = "ada", .home = "/home/ada", .shell = "/bin/bash"},
          .groups = {7}};
}
StepCredential credential() {
  StepCredential one{.job = JobId{7},
                     .sluid = Sluid{70},
                     .uid = Uid{1000},
                     .job_nodes = "n[1-2]",
                     .step_nodes = "n[1-2]",
                     .node_names = {"n1", "n2"},
                     .expires = Instant{1000}};
  one.step.tasks = 5;
  one.step.shares = {{.node = NodeId{1}, .first_task = 0, .tasks = 3},
                     {.node = NodeId{2}, .first_task = 3, .tasks = 2}};
  return one;
}
bool holds(const std::string& environment, const std::string& entry) {
  return (std::string(1, '\0') + environment)
             .find(std::string(1, '\0') + entry + std::string(1, '\0')) != std::string::npos;
}

TEST(Orders, NumbersForNodesAreShortened) {
  EXPECT_EQ(repeated({2, 2, 2, 1}), "2(x3),1");
  EXPECT_EQ(repeated({4}), "4");
  EXPECT_EQ(repeated({}), "");
}

TEST(Orders, ABatchScriptWritesToItsDefaultFile) {
  LaunchJob job{.job = JobId{12},
                .spec = Ref<JobSpec>(JobSpec{.name = "x", .work_dir = "/w"}),
                .nodes = "n[1-3]",
                .cpus = {2, 2, 1},
                .tasks = {1, 1, 1}};
  ShepherdOrder order = batch_order(job, facts());
  ASSERT_EQ(order.tasks.size(), 1u);
  EXPECT_EQ(order.tasks[0].std_out, "slurm-12.out");
  EXPECT_EQ(order.tasks[0].std_err, "slurm-12.out");
  EXPECT_TRUE(order.tasks[0].truncate_out);
  EXPECT_TRUE(holds(order.environment, "SLURM_JOB_NUM_NODES=3"));
  EXPECT_TRUE(holds(order.environment, "SLURM_JOB_CPUS_PER_NODE=2(x2),1"));
  EXPECT_TRUE(holds(order.environment, "SLURM_SUBMIT_DIR=/w"));
  EXPECT_TRUE(holds(order.environment, "HOME=/home/ada"));
  EXPECT_TRUE(holds(order.environment, "SLURM_JOB_OVERSUBSCRIBE=NO"));
  EXPECT_TRUE(holds(order.environment, "SLURM_JOB_EXCLUSIVE=NO"));
}

TEST(Orders, AFileMayBeCalledAfterTheAttempt) {
  LaunchJob job{.job = JobId{12}, .spec = Ref<JobSpec>(JobSpec{.std_out = "%S-%r.out"})};
  job.sluid = Sluid{7};
  job.restarts = 3;
  EXPECT_EQ(batch_order(job, facts()).tasks[0].std_out, "s0000000000007-3.out");
}

TEST(Orders, AnArrayElementWritesToTheArraysFileAndKnowsItsNumber) {
  LaunchJob job{.job = JobId{12},
                .spec = Ref<JobSpec>(JobSpec{}),
                .array_job = JobId{10},
                .array_task = 4,
                .array_count = 5};
  ShepherdOrder order = batch_order(job, facts());
  EXPECT_EQ(order.tasks[0].std_out, "slurm-10_4.out");
  EXPECT_TRUE(holds(order.environment, "SLURM_ARRAY_TASK_ID=4"));
}

TEST(Orders, WhatTheUserExportedLosesAgainstWhatIsTrue) {
  LaunchJob job{.job = JobId{12}, .spec = Ref<JobSpec>(JobSpec{})};
  EXPECT_EQ(batch_order(job, facts()).umask, 022u);
  job.environment = std::string("SLURM_UMASK=0077\0", 17);
  EXPECT_EQ(batch_order(job, facts()).umask, 077u);
  job.environment = std::string("SLURM_JOB_ID=99\0HOME=/elsewhere\0", 32);
  ShepherdOrder order = batch_order(job, facts());
  EXPECT_TRUE(holds(order.environment, "SLURM_JOB_ID=12"));
  EXPECT_FALSE(holds(order.environment, "SLURM_JOB_ID=99"));
  EXPECT_TRUE(holds(order.environment, "HOME=/elsewhere"));
}

TEST(Orders, AScriptKnowsItsNodeAmongTheJobs) {
  LaunchJob job{.job = JobId{12},
                .spec = Ref<JobSpec>(JobSpec{}),
                .nodes = "n[1-3]",
                .cpus = {1, 2, 4},
                .tasks = {1, 1, 1}};
  LaunchFacts here = facts();
  here.node = "n3";
  ShepherdOrder order = batch_order(job, here);
  EXPECT_TRUE(holds(order.environment, "SLURM_NODEID=2"));
  EXPECT_TRUE(holds(order.environment, "SLURM_CPUS_ON_NODE=4"));
}

TEST(Orders, TasksAreToldOfThePortsThatAreTheirs) {
  StepCredential signed_one = credential();
  LaunchTasks launch{.arguments = {"env"}};
  const StepShare& share = signed_one.step.shares[0];
  EXPECT_EQ(step_order(launch, signed_one, share, facts())->environment.find("RESV_PORTS"),
            std::string::npos);
  signed_one.step.first_port = 12000;
  signed_one.step.ports = 1;
  EXPECT_TRUE(holds(step_order(launch, signed_one, share, facts())->environment,
                    "SLURM_STEP_RESV_PORTS=12000"));
  signed_one.step.ports = 3;
  EXPECT_TRUE(holds(step_order(launch, signed_one, share, facts())->environment,
                    "SLURM_STEP_RESV_PORTS=12000-12002"));
}

TEST(Orders, AStepsTasksAreNumberedAcrossNodes) {
  StepCredential signed_one = credential();
  auto share = check_credential(signed_one, "n2", 1000, {.now = Instant{999}});
  ASSERT_TRUE(share);
  auto order = step_order({.arguments = {"hostname"}, .std_out = "o-%t", .stdin_task = 4},
                          signed_one, *share, facts());
  ASSERT_TRUE(order);
  ASSERT_EQ(order->tasks.size(), 2u);
  EXPECT_EQ(order->tasks[0].rank, 3u);
  EXPECT_EQ(order->tasks[1].std_out, "o-4");
  EXPECT_TRUE(holds(order->tasks[1].environment, "SLURM_PROCID=4"));
  EXPECT_TRUE(holds(order->tasks[1].environment, "SLURM_LOCALID=1"));
  EXPECT_TRUE(holds(order->tasks[1].environment, "SLURM_NODEID=1"));
  EXPECT_TRUE(holds(order->tasks[1].environment, "SLURM_GTIDS=3,4"));
  EXPECT_EQ(order->tasks[0].std_in, "/dev/null");
  EXPECT_EQ(order->tasks[1].std_in, "");
}

TEST(Orders, AStepWithinAStepForgetsTheOuterTasksNumbers) {
  LaunchTasks inner{.arguments = {"env"}};
  inner.environment = std::string("SLURM_NODEID=7\0SLURM_GTIDS=7\0SLURM_PROCID=7\0", 44);
  auto order = step_order(inner, credential(), credential().step.shares[0], facts());
  ASSERT_TRUE(order);
  for (const char* outer : {"SLURM_NODEID=7", "SLURM_GTIDS=7", "SLURM_PROCID=7"})
    EXPECT_FALSE(holds(order->environment, outer)) << outer;
}

TEST(Orders, APreservedEnvironmentKeepsTheNumbersOfNodesAndTasks) {
  auto seen = [&](std::string environment) {
    LaunchTasks request{.arguments = {"env"}, .environment = std::move(environment)};
    auto order = step_order(request, credential(), credential().step.shares[0], facts());
    return EnvironmentBlock(order->environment);
  };
  auto with = [](const std::string& more) {
    std::string block = "SLURM_NTASKS=99 SLURM_JOB_NUM_NODES=33 " + more;
    std::ranges::replace(block, ' ', '\0');
    return block;
  };
  EXPECT_NE(seen(with("")).get("SLURM_NTASKS"), "99");
  EnvironmentBlock once = seen(with("SLURM_PRESERVE_ENV=once "));
  EXPECT_EQ(once.get("SLURM_NTASKS"), "99");
  EXPECT_EQ(once.get("SLURM_JOB_NUM_NODES"), "33");
  EXPECT_NE(once.get("SLURM_NNODES"), "") << "what srun did not see is told";
  EXPECT_FALSE(once.has("SLURM_PRESERVE_ENV"));
  EXPECT_TRUE(seen(with("SLURM_PRESERVE_ENV=1 ")).has("SLURM_PRESERVE_ENV"));
}

TEST(Orders, ACredentialIsForOneUserOneNodeAndACertainTime) {
  EXPECT_TRUE(check_credential(credential(), "n1", 0, {.now = Instant{1000}}));
  EXPECT_FALSE(check_credential(credential(), "n1", 1001, {.now = Instant{1}}));
  EXPECT_FALSE(check_credential(credential(), "n3", 1000, {.now = Instant{1}}));
  EXPECT_FALSE(check_credential(credential(), "n1", 1000, {.now = Instant{1001}}));
}

TEST(Orders, MultiProgGivesEachTaskItsOwnProgram) {
  std::string_view text = "# comment\n0-1,4  a 'x y' %t:%o\n* rest %t\n";
  EXPECT_EQ(*multi_prog_arguments(text, 4), (std::vector<std::string>{"a", "x y", "4:2"}));
  EXPECT_EQ(*multi_prog_arguments(text, 3), (std::vector<std::string>{"rest", "3"}));
  EXPECT_FALSE(multi_prog_arguments("0 a\n", 1));
  EXPECT_FALSE(multi_prog_arguments("0 'a\n", 0));
}

}  // namespace
}  // namespace ym
