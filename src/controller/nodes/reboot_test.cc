// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "controller/controller.h"
#include "schedule/planner.h"

namespace ym {
namespace {

constexpr RequestId kRequest{7};

class RebootTest : public testing::Test {
 protected:
  void SetUp() override {
    config.cluster_name = "c";
    config.reboot_program = "/sbin/reboot";
    config.nodes.push_back({.name = "n1", .cpus = 4});
    config.partitions = {{.name = "main", .nodes = "n1", .is_default = true}};
    controller.emplace(config, State{});
    EXPECT_TRUE(controller->configure(config, now, out));
    controller->begin_watch(now, out);
    hear("a");
  }
  const Node& node() const { return *controller->state().find_node("n1"); }
  const Node& hear(const std::string& boot) {
    NodeReport report{.node = "n1",
                      .complete = true,
                      .registration = {.cpus = 4, .memory_mb = 1, .boot_id = boot}};
    EXPECT_TRUE(controller->report(report, now, out));
    return node();
  }
  void reboot(RebootNodes wish) {
    if (wish.nodes.empty()) wish.nodes = "n1";
    controller->reboot_nodes(kRequest, wish, {.administrator = true}, now, out);
  }
  const Node& pass(Duration time) {
    now = now + time;
    controller->tick(now, out);
    return node();
  }
  JobId run_job() {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    controller->submit(kRequest, submit, {.administrator = true}, now, out);
    Planner planner(controller->placement_rules());
    planner.rebuild(controller->state());
    EXPECT_EQ(controller->commit(planner.plan(controller->state(), now, {}), now, out), 1u);
    return JobId{1};
  }
  std::size_t orders() const {
    return static_cast<std::size_t>(std::ranges::count_if(out.orders, [](const Order& order) {
      return std::holds_alternative<RebootNode>(order.message);
    }));
  }
  std::string failure() const {
    const auto* failure = std::get_if<Failure>(&out.replies.back().answer);
    return failure ? failure->text : "";
  }

  ClusterConfig config;
  Instant now{1'000'000};
  Outbox out;
  std::optional<Controller> controller;
};

TEST_F(RebootTest, ForceDoesNotWaitForJobs) {
  run_job();
  reboot({});
  EXPECT_EQ(orders(), 0u);
  reboot({.force = true});
  EXPECT_EQ(orders(), 1u);
  EXPECT_EQ(node().jobs, 0u);
  EXPECT_EQ(state_long(node()), "DOWN+REBOOT_ISSUED");
  EXPECT_TRUE(hear("b").usable());
}

TEST_F(RebootTest, ForceOrdersAgainWhatWasOrderedBefore) {
  reboot({});
  reboot({});
  EXPECT_EQ(orders(), 1u);
  reboot({.force = true});
  EXPECT_EQ(orders(), 2u);
}

TEST_F(RebootTest, AnIdleNodeIsToldAtOnceAndComesBackAsItWas) {
  reboot({});
  EXPECT_EQ(orders(), 1u);
  EXPECT_EQ(state_long(node()), "DOWN+REBOOT_ISSUED");
  EXPECT_EQ(state_word(node()), "reboot^");
  EXPECT_EQ(node().reason, "reboot requested : reboot issued");
  EXPECT_FALSE(node().usable());
  const Node& back = hear("b");
  EXPECT_TRUE(back.usable());
  EXPECT_EQ(back.reason, "");
  EXPECT_EQ(state_long(back), "IDLE");
}

TEST_F(RebootTest, ABusyNodeWaitsForItsJobs) {
  JobId job = run_job();
  reboot({});
  EXPECT_EQ(orders(), 0u);
  EXPECT_EQ(state_long(node()), "MIXED+REBOOT_REQUESTED");
  EXPECT_EQ(state_compact(node()), "mix@");
  EXPECT_TRUE(node().usable()) << "others may still start there";
  controller->alter(kRequest, {.verb = JobVerb::Cancel, .filter = {.targets = {{.job = job}}}},
                    {.administrator = true}, now, out);
  NodeReport clean{.node = "n1",
                   .attempts = {{.job = job,
                                 .sluid = controller->state().find(job)->sluid,
                                 .phase = AttemptPhase::Clean}}};
  EXPECT_TRUE(controller->report(clean, now, out));
  pass(std::chrono::seconds(1));
  EXPECT_EQ(orders(), 1u);
}

TEST_F(RebootTest, AsapDrainsUntilTheNodeIsBack) {
  run_job();
  reboot({.asap = true});
  EXPECT_EQ(state_long(node()), "MIXED+DRAIN+REBOOT_REQUESTED");
  EXPECT_EQ(state_compact(node()), "drng@");
  EXPECT_EQ(node().reason, "Reboot ASAP");
  hear("b");  // somebody was quicker
  EXPECT_TRUE(node().usable());
  EXPECT_EQ(node().reason, "");
}

TEST_F(RebootTest, ANodeThatIsToStayDownDoesAndSaysWhy) {
  reboot({.asap = true, .next = RebootNext::Down, .reason = "new kernel"});
  EXPECT_EQ(node().reason, "new kernel : reboot issued");
  const Node& back = hear("b");
  EXPECT_EQ(state_long(back), "DOWN");
  EXPECT_EQ(back.reason, "new kernel : reboot issued : reboot complete");
  EXPECT_EQ(state_long(hear("b")), "DOWN");
}

TEST_F(RebootTest, ResumeEndsADrainOfBefore) {
  controller->update_nodes(kRequest, {.nodes = "n1", .state = "DRAIN", .reason = "odd"},
                           {.administrator = true}, now, out);
  reboot({});
  EXPECT_TRUE(hear("b").drain);
  EXPECT_EQ(node().reason, "odd : reboot issued");
  reboot({.next = RebootNext::Resume});
  EXPECT_TRUE(hear("c").usable());
}

TEST_F(RebootTest, ANodeThatDoesNotComeBackInTimeIsDown) {
  reboot({.asap = true, .reason = "fans"});
  pass(config.slurmd_timeout > config.resume_timeout ? config.resume_timeout / 2
                                                     : config.slurmd_timeout);
  EXPECT_EQ(node().reboot.phase, RebootPhase::Issued);
  pass(config.resume_timeout);
  EXPECT_EQ(node().condition, NodeCondition::Down);
  EXPECT_FALSE(node().drain);
  EXPECT_EQ(node().reason, "fans : reboot issued : reboot timed out");
  EXPECT_EQ(node().reboot, NodeReboot{});
}

TEST_F(RebootTest, AnOrderThatWasLostIsRepeatedWhenTheNodeIsThereAgain) {
  reboot({});
  out = {};
  hear("a");
  EXPECT_EQ(orders(), 1u);
  EXPECT_EQ(node().reboot.phase, RebootPhase::Issued);
}

TEST_F(RebootTest, WhatIsPendingCanBeCancelledAndWhatIsUnderWayCannot) {
  run_job();
  reboot({.cancel = true});
  EXPECT_NE(failure().find("Invalid node state"), std::string::npos);
  reboot({.asap = true});
  reboot({.cancel = true});
  EXPECT_EQ(failure(), "");
  EXPECT_EQ(state_long(node()), "MIXED");
  EXPECT_EQ(node().reason, "");
  reboot({});
  EXPECT_EQ(node().reason, "reboot requested");
  reboot({.cancel = true});
  EXPECT_EQ(node().reason, "");
}

TEST_F(RebootTest, ResumingANodeEndsItsReboot) {
  run_job();
  reboot({.asap = true});
  controller->update_nodes(kRequest, {.nodes = "n1", .state = "RESUME"}, {.administrator = true},
                           now, out);
  EXPECT_EQ(state_long(node()), "MIXED");
}

TEST_F(RebootTest, OnlyAnAdministratorMayAndOnlyWithAProgram) {
  controller->reboot_nodes(kRequest, {.nodes = "n1"}, {}, now, out);
  EXPECT_NE(failure(), "");
  config.reboot_program.clear();
  EXPECT_TRUE(controller->configure(config, now, out));
  reboot({});
  EXPECT_EQ(failure(), "RebootProgram is not defined in slurm.conf");
  EXPECT_EQ(orders(), 0u);
}

}  // namespace
}  // namespace ym
