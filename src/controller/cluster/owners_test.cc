// SPDX-License-Identifier: Apache-2.0
// Interactive jobs and the clients for whom they live.
#include <gtest/gtest.h>

#include "controller/controller.h"
#include "schedule/planner.h"

namespace ym {
namespace {

using std::chrono::seconds;

ClusterConfig one_node() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.inactive_limit = seconds(30);
  config.nodes.push_back({.name = "n1", .cpus = 4, .memory_mb = 1000});
  config.partitions = {{.name = "main", .nodes = "n1", .is_default = true}};
  return config;
}

class OwnersTest : public testing::Test {
 protected:
  OwnersTest() : controller(one_node(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(one_node(), now, out));
    controller.begin_watch(now, out);
    NodeReport report{.node = "n1", .complete = true};
    report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
    EXPECT_TRUE(controller.report(report, now, out));
    settle();
  }
  void settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
  }
  // The whole node for each of them: the second one waits.
  void submit(bool detached = false) {
    SubmitJob submit;
    submit.spec.tasks = 4;
    JobSpecials specials{.detached = detached};
    submit.spec.extras = Ref(JobExtras{.specials = Ref(std::move(specials))});
    controller.submit({1}, submit, {.uid = {1000}, .user_name = "ada"}, now, out);
    settle();
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
  }
  JobState state_after(seconds wait, std::uint32_t job) {
    controller.tick(now + wait, out);
    settle();
    return controller.state().find(JobId{job})->state;
  }

  Instant now{1'000'000};
  Outbox out;
  Controller controller;
  Planner planner;
};

TEST_F(OwnersTest, AnAllocationEndsAfterInactiveLimitWithoutItsClient) {
  submit();
  controller.owner_present(JobId{1});
  EXPECT_EQ(state_after(seconds(100), 1), JobState::Running);
  now = now + seconds(100);
  controller.owner_gone(JobId{1}, now);
  EXPECT_EQ(state_after(seconds(29), 1), JobState::Running);
  EXPECT_EQ(state_after(seconds(30), 1), JobState::Cancelled);
  EXPECT_EQ(controller.state().find(JobId{1})->end_reason, Reason::InactiveLimit);
}

TEST_F(OwnersTest, ARequestWhoseClientIsGoneLeavesTheQueue) {
  submit();
  controller.owner_present(JobId{1});
  submit();
  ASSERT_EQ(controller.state().find(JobId{2})->state, JobState::Pending);
  EXPECT_EQ(state_after(seconds(100), 2), JobState::Pending);
  now = now + seconds(100);
  controller.owner_gone(JobId{2}, now);
  EXPECT_EQ(state_after(seconds(29), 2), JobState::Pending);
  EXPECT_EQ(state_after(seconds(30), 2), JobState::Cancelled);
}

TEST_F(OwnersTest, AClientThatComesBackKeepsItsPlaceInTheQueue) {
  submit();
  controller.owner_present(JobId{1});
  submit();
  controller.owner_gone(JobId{2}, now);
  controller.owner_present(JobId{2});
  EXPECT_EQ(state_after(seconds(300), 2), JobState::Pending);
}

TEST_F(OwnersTest, ADetachedAllocationNeedsNoClient) {
  submit(true);
  controller.owner_gone(JobId{1}, now);
  EXPECT_EQ(state_after(seconds(200), 1), JobState::Running);
}

}  // namespace
}  // namespace ym
