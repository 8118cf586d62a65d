// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>

#include "controller/controller.h"
#include "schedule/planner.h"

namespace ym {
namespace {

// EpilogSlurmctld of one batch job on one node.
class EpilogTest : public testing::Test {
 protected:
  void SetUp() override {
    config.cluster_name = "c";
    config.controller_epilog = "/etc/epilog";
    config.nodes.push_back({.name = "n1", .cpus = 4});
    config.partitions = {{.name = "main", .nodes = "n1", .is_default = true}};
    controller.emplace(config, State{});
    EXPECT_TRUE(controller->configure(config, now, out));
    controller->begin_watch(now, out);
    hear({.complete = true, .registration = {.cpus = 4, .memory_mb = 1}});
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    controller->submit({1}, submit, {.uid = {1000}, .user_name = "ada"}, now, out);
    Planner planner({});
    planner.rebuild(controller->state());
    controller->commit(planner.plan(controller->state(), now, {}), now, out);
    ASSERT_EQ(job().state, JobState::Running);
  }
  const Job& job() const { return *controller->state().find(JobId{1}); }
  void hear(NodeReport report) {
    report.node = "n1";
    EXPECT_TRUE(controller->report(report, now, out));
  }
  void say_clean() {
    hear({.attempts = {{.job = {1},
                        .sluid = job().sluid,
                        .phase = AttemptPhase::Clean,
                        .batch = true,
                        .batch_ended = true}}});
  }
  void alter(JobVerb verb) {
    AlterJobs alter{.verb = verb};
    alter.filter.targets.push_back({.job = {1}});
    controller->alter({2}, alter, {.administrator = true}, now, out);
  }
  std::size_t epilogs() const { return out.programs.size(); }
  void crash() {
    out = {};
    State state = controller->state();
    controller.emplace(config, std::move(state));
    EXPECT_TRUE(controller->configure(config, now, out));
    controller->begin_watch(now, out);
  }

  ClusterConfig config;
  Instant now{1'000'000};
  Outbox out;
  std::optional<Controller> controller;
};

TEST_F(EpilogTest, RunsWhenTheLastNodeIsCleanAndOnce) {
  alter(JobVerb::Cancel);
  EXPECT_EQ(epilogs(), 0u);
  say_clean();
  ASSERT_EQ(epilogs(), 1u);
  EXPECT_TRUE(out.programs[0].epilog);
  controller->epilog_ended({1}, job().sluid, now, out);
  EXPECT_FALSE(job().epilog_due);
  crash();
  EXPECT_EQ(epilogs(), 0u);
}

TEST_F(EpilogTest, RunsAgainIfTheControllerDiedBeforeItsEnd) {
  alter(JobVerb::Cancel);
  say_clean();
  crash();
  EXPECT_EQ(epilogs(), 1u);
  crash();
  EXPECT_EQ(epilogs(), 1u);
}

TEST_F(EpilogTest, ARequeuedJobWaitsForIt) {
  alter(JobVerb::Requeue);
  say_clean();
  EXPECT_TRUE(is_terminal(job().state));
  crash();
  EXPECT_EQ(epilogs(), 1u);
  Sluid sluid = job().sluid;
  controller->epilog_ended({1}, sluid, now, out);
  EXPECT_EQ(job().state, JobState::Pending);
  EXPECT_NE(job().sluid, sluid);
}

TEST_F(EpilogTest, TheRecordStaysUntilItHasRun) {
  alter(JobVerb::Cancel);
  say_clean();
  now = now + config.min_job_age + std::chrono::seconds(1);
  controller->tick(now, out);
  ASSERT_TRUE(controller->state().find(JobId{1}));
  controller->epilog_ended({1}, job().sluid, now, out);
  controller->tick(now, out);
  EXPECT_FALSE(controller->state().find(JobId{1}));
}

TEST_F(EpilogTest, OneThatIsNoLongerConfiguredIsNotWaitedFor) {
  alter(JobVerb::Requeue);
  say_clean();
  config.controller_epilog.clear();
  crash();
  EXPECT_EQ(epilogs(), 0u);
  EXPECT_EQ(job().state, JobState::Pending);
}

}  // namespace
}  // namespace ym
