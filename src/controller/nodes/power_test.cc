// SPDX-License-Identifier: Apache-2.0
// Power saving: who is switched off and on, when, and what becomes of the jobs. The plain stories
// are in tests/scenario/power_*.txt.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/yard_for_test.h"

namespace ym {
namespace {

using std::chrono::seconds;

// Four nodes that are on, in two partitions.
class Power : public testing::Test, protected Yard {
 protected:
  Power() : Yard(cluster()) {}
  static ClusterConfig cluster() {
    ClusterConfig config = Yard::cluster(4, {.cpus = 4, .sockets = 4, .memory_mb = 1000});
    config.partitions.push_back({.name = "odd", .nodes = "n3"});
    config.power = {.suspend_program = "off", .resume_program = "on"};
    config.power.suspend_time = seconds(60);
    config.slurmd_timeout = seconds(100'000);
    return config;
  }
  void configure(const ClusterConfig& config) {
    EXPECT_TRUE(controller.configure(config, now, out));
    settle();
  }
  void connect(const std::string& name) {
    Yard::connect({.name = name, .cpus = 4, .memory_mb = 1000});
  }
  // What was run since it was last asked: "off n1;on n[2-3]".
  std::string ran() { return std::exchange(ran_, {}); }
  void pass(int time_s) {
    for (int i = 0; i < time_s; ++i) {
      now = now + seconds(1);
      controller.tick(now, out);
      settle();
    }
  }
  void settle() {
    Outbox taken = Yard::settle();
    for (const SideProgram& one : taken.side_programs) {
      ran_ += (ran_.empty() ? "" : ";") + one.program + " " + one.arguments.at(0);
      file = one.file_text;
    }
    for (Order& order : taken.orders) orders.push_back(std::move(order));
    for (const Reply& reply : taken.replies)
      if (const auto* failure = std::get_if<Failure>(&reply.answer)) refused = failure->text;
  }
  void update(const std::string& nodes, const std::string& state) {
    refused.clear();
    controller.update_nodes({1}, {.nodes = nodes, .state = state}, root(), now, out);
    settle();
  }
  void submit(std::uint32_t nodes, bool batch = true) {
    SubmitJob submit;
    submit.spec.name = "j";
    submit.spec.batch = batch;
    submit.script = "#!/bin/sh\n";
    submit.spec.script_blob = "blob";
    submit.spec.time_limit_s = 3600;
    submit.spec.min_nodes = submit.spec.tasks = nodes;
    if (wait_all_nodes) {
      JobSpecials specials;
      specials.wait_all_nodes = wait_all_nodes;
      JobExtras extras;
      extras.specials = Ref(std::move(specials));
      submit.spec.extras = Ref(std::move(extras));
    }
    controller.submit({1}, submit, ada(), now, out);
    settle();
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
  }
  std::size_t launches() {
    return static_cast<std::size_t>(std::ranges::count_if(orders, [](const Order& order) {
      return std::holds_alternative<LaunchJob>(order.message);
    }));
  }

  std::uint8_t wait_all_nodes = 0;  // of jobs that are submitted
  std::vector<Order> orders;
  std::string refused, ran_, file;
};

TEST_F(Power, TheRateIsKept) {
  ClusterConfig config = cluster();
  config.power.suspend_rate = 3;
  config.power.resume_rate = 1;
  configure(config);
  pass(60);
  EXPECT_EQ(ran(), "off n[1-3]");
  pass(59);
  EXPECT_EQ(ran(), "");
  pass(1);
  EXPECT_EQ(ran(), "off n4");
  pass(31);
  update("n[1-4]", "POWER_UP");
  pass(61);
  EXPECT_EQ(ran(), "on n1;on n2");
}

TEST_F(Power, SomeNodesStayOn) {
  ClusterConfig config = cluster();
  config.power.except_nodes = "n[1-3]:2,n4";
  configure(config);
  pass(61);
  EXPECT_EQ(ran(), "off n3");
  config.power.except_nodes = "";
  config.power.except_partitions = "odd";
  configure(config);
  update("n3", "RESUME");
  EXPECT_TRUE(node("n3").asleep());
  pass(2);
  EXPECT_EQ(ran(), "off n[1-2,4]");
}

TEST_F(Power, StatesAreExceptions) {
  ClusterConfig config = cluster();
  config.power.except_states = "DOWN,DRAIN";
  configure(config);
  controller.update_nodes({1}, {.nodes = "n1", .state = "DRAIN", .reason = "x"}, root(), now, out);
  controller.update_nodes({1}, {.nodes = "n2", .state = "DOWN", .reason = "x"}, root(), now, out);
  pass(61);
  EXPECT_EQ(ran(), "off n[3-4]");
}

TEST_F(Power, TheHighestTimeOfAPartitionCounts) {
  ClusterConfig config = cluster();
  config.partitions[0].suspend_time_s = 30;
  config.partitions[1].suspend_time_s = 40;
  configure(config);
  pass(31);
  EXPECT_EQ(ran(), "off n[1-2,4]");
  pass(10);
  EXPECT_EQ(ran(), "off n3");
  config.partitions[1].suspend_time_s = JobSpec::kUnlimited;
  configure(config);
  pass(30);
  update("n3", "POWER_UP");
  pass(1);
  connect("n3");
  pass(1000);
  EXPECT_EQ(ran(), "on n3");
}

TEST_F(Power, AJobThatDoesNotWaitForAllNodesBeginsWithItsFirst) {
  update("n[1-4]", "POWER_DOWN");
  pass(40);
  wait_all_nodes = 1;  // --wait-all-nodes=0
  submit(2);
  EXPECT_TRUE(job(1).configuring);
  pass(1);
  connect("n2");
  settle();
  EXPECT_TRUE(job(1).configuring);
  EXPECT_EQ(launches(), 0u);
  connect("n1");
  settle();
  EXPECT_FALSE(job(1).configuring);
  EXPECT_EQ(launches(), 1u);
  // An interactive one does not wait at all.
  submit(2, false);
  EXPECT_EQ(job(2).state, JobState::Running);
  EXPECT_FALSE(job(2).configuring);
  connect("n3");
  connect("n4");
  settle();
  EXPECT_EQ(launches(), 1u);
}

TEST_F(Power, ANodesOwnTimeCountsMoreThanThatOfItsPartitions) {
  ClusterConfig config = cluster();
  config.partitions[0].suspend_time_s = 30;
  config.nodes[0].suspend_time_s = 50;
  config.nodes[1].suspend_time_s = JobSpec::kUnlimited;
  configure(config);
  pass(31);
  EXPECT_EQ(ran(), "off n[3-4]");
  pass(20);
  EXPECT_EQ(ran(), "off n1");
}

TEST_F(Power, ANodeGoesOffAsSoonAsItsJobsAreOver) {
  ClusterConfig config = cluster();
  config.power.suspend_time = Duration(-1);
  config.partitions[0].power_down_on_idle = true;
  configure(config);
  pass(100);
  EXPECT_EQ(ran(), "");  // they have not worked since they came up
  submit(1);
  const Job& ended = job(1);
  pass(1);
  AttemptReport attempt{.job = ended.id,
                        .sluid = ended.sluid,
                        .phase = AttemptPhase::Clean,
                        .batch = true,
                        .batch_ended = true};
  EXPECT_TRUE(controller.report({.node = "n1", .attempts = {attempt}}, now, out));
  pass(1);
  EXPECT_EQ(ran(), "off n1");
}

TEST_F(Power, AJobThatWaitsForItsNodesIsConfiguring) {
  pass(91);  // all are off
  ran();
  submit(2);
  EXPECT_TRUE(job(1).configuring);
  EXPECT_EQ(launches(), 0u);
  pass(1);
  EXPECT_EQ(ran(), "on n[1-2]");
  EXPECT_EQ(file,
            "{\"all_nodes_resume\":\"n[1-2]\",\"jobs\":[{\"extra\":null,\"job_id\":1,"
            "\"features\":null,\"nodes_alloc\":\"n[1-2]\",\"nodes_resume\":\"n[1-2]\","
            "\"oversubscribe\":\"NO\",\"partition\":\"main\",\"reservation\":null}]}\n");
  pass(10);
  connect("n1");
  settle();
  EXPECT_EQ(launches(), 0u);
  pass(10);
  connect("n2");
  settle();
  EXPECT_EQ(launches(), 1u);
  EXPECT_FALSE(job(1).configuring);
  EXPECT_EQ(job(1).start, now);
  EXPECT_EQ(job(1).limit_end, now + seconds(3600));
  EXPECT_TRUE(node("n2").reason.empty());  // that it has booted is no surprise
}

TEST_F(Power, AJobThatIsCancelledWhileItWaitsIsGoneAtOnce) {
  pass(91);
  submit(2);
  pass(1);
  AlterJobs cancel{.verb = JobVerb::Cancel};
  cancel.filter.targets = {{.job = {1}}};
  controller.alter({1}, cancel, ada(), now, out);
  settle();
  EXPECT_EQ(job(1).state, JobState::Cancelled);
  EXPECT_FALSE(job(1).completing());
  EXPECT_EQ(node("n1").jobs, 0u);
}

TEST_F(Power, ARestartOfTheControllerGoesOnWaiting) {
  pass(91);
  submit(1);
  pass(1);
  Controller next(cluster(), State(controller.state()));
  EXPECT_TRUE(next.configure(cluster(), now, out));
  next.begin_watch(now, out);
  controller = std::move(next);
  settle();
  EXPECT_EQ(launches(), 0u);
  EXPECT_TRUE(job(1).configuring);
  connect("n1");
  settle();
  EXPECT_EQ(launches(), 1u);
  EXPECT_FALSE(job(1).configuring);
}

TEST_F(Power, WhatIsGoingOffSaysNothingThatCounts) {
  pass(60);
  EXPECT_TRUE(controller.report({.node = "n1"}, now, out));
  settle();
  EXPECT_FALSE(node("n1").responding);
  EXPECT_EQ(node("n1").power.phase, PowerPhase::PoweringDown);
  update("n1", "POWER_UP");  // as soon as it is off
  ran();
  pass(31);
  EXPECT_EQ(ran(), "on n1");
  // One that somebody starts by hand is on.
  pass(1);
  connect("n2");
  settle();
  EXPECT_EQ(node("n2").power.phase, PowerPhase::On);
  EXPECT_TRUE(node("n2").usable());
}

TEST_F(Power, VerbsNeedTheirProgram) {
  ClusterConfig config = cluster();
  config.power = {};
  configure(config);
  update("n1", "POWER_UP");
  EXPECT_NE(refused.find("ResumeProgram is not defined"), std::string::npos) << refused;
  update("n1", "POWER_DOWN_SLOWLY");
  EXPECT_EQ(refused, "Invalid node state specified");
}

TEST_F(Power, StatesAreShownAsSlurmDoes) {
  submit(1);
  update("n1", "POWER_DOWN");
  EXPECT_EQ(state_compact(node("n1")), "mix!");
  EXPECT_EQ(state_long(node("n1")), "MIXED+POWER_DOWN");
  pass(60);
  EXPECT_EQ(state_word(node("n2")), "idle%");
  EXPECT_EQ(state_long(node("n2")), "IDLE+POWERING_DOWN");
  pass(30);
  EXPECT_EQ(state_word(node("n2")), "idle~");
  EXPECT_EQ(state_long(node("n2")), "IDLE+POWERED_DOWN");
  update("n2", "POWER_UP");
  EXPECT_EQ(state_long(node("n2")), "IDLE+POWERED_DOWN+POWER_UP");
  pass(1);
  EXPECT_EQ(state_compact(node("n2")), "idle#");
  EXPECT_EQ(state_long(node("n2")), "IDLE+POWERING_UP");
}

}  // namespace
}  // namespace ym
