// SPDX-License-Identifier: Apache-2.0
// What administrators do to nodes, steps and jobs by hand.
#include <gtest/gtest.h>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/queries/rows.h"
#include "model/errc.h"
#include "schedule/planner.h"

namespace ym {
namespace {

Caller root() { return {.uid = {0}, .gid = {0}, .user_name = "root", .administrator = true}; }
Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }

// Two nodes with features, room for four.
class Administration : public testing::Test {
 protected:
  Administration() : controller(cluster(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(cluster(), now, out));
    controller.begin_watch(now, out);
    for (int i = 1; i <= 2; ++i) {
      NodeReport report{.node = fmt::format("n{}", i), .complete = true};
      report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
      EXPECT_TRUE(controller.report(report, now, out));
    }
    settle();
  }
  static ClusterConfig cluster() {
    ClusterConfig config;
    config.cluster_name = "c";
    for (int i = 1; i <= 2; ++i)
      config.nodes.push_back({.name = fmt::format("n{}", i),
                              .cpus = 4,
                              .sockets = 4,
                              .memory_mb = 1000,
                              .features = "a,b"});
    config.partitions = {{.name = "main", .nodes = "n[1-2]", .is_default = true}};
    config.shown = {{"MaxNodeCount", "4"}};
    return config;
  }
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
    return taken;
  }
  // What was answered: "" for done, or the refusal.
  std::string answered() {
    Outbox taken = settle();
    orders = std::move(taken.orders);
    if (taken.replies.empty()) return "no answer";
    const Answer& answer = taken.replies.back().answer;
    if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
    if (const auto* altered = std::get_if<AlterAnswer>(&answer))
      return altered->outcomes.empty() ? "nothing" : altered->outcomes[0].text;
    return "";
  }
  std::string update(UpdateNodes wish, const Caller& caller = root()) {
    wish.nodes = wish.nodes.empty() ? "n1" : wish.nodes;
    controller.update_nodes({1}, wish, caller, now, out);
    return answered();
  }
  const Node& node(std::string_view name) { return *controller.state().find_node(name); }
  void run_job(bool batch = true) {
    SubmitJob submit;
    submit.spec.name = "j";
    submit.spec.batch = batch;
    submit.script = "#!/bin/sh\n";
    submit.spec.script_blob = "blob";
    submit.spec.time_limit_s = 3600;
    controller.submit({1}, submit, ada(), now, out);
    settle();
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
  }
  std::string alter(AlterJobs wish, const Caller& caller = root()) {
    wish.filter.targets = {{.job = {1}}};
    wish.filter.all_states = true;
    controller.alter({1}, wish, caller, now, out);
    return answered();
  }

  Instant now = Instant::from_unix_seconds(1000);
  Controller controller;
  Planner planner;
  Outbox out;
  std::vector<Order> orders;
};

TEST_F(Administration, NodesAreMadeAndTakenAwayAgain) {
  CreateNodes create{.nodes = {{.name = "d1", .cpus = 4, .state = "CLOUD"},
                               {.name = "d2", .cpus = 4, .state = "FUTURE"}}};
  controller.create_nodes({1}, create, ada(), now, out);
  EXPECT_EQ(answered(), "Invalid user id");
  controller.create_nodes({1}, create, root(), now, out);
  EXPECT_EQ(answered(), "");
  EXPECT_TRUE(node("d1").spec->dynamic);
  EXPECT_EQ(node("d2").condition, NodeCondition::Future);
  controller.create_nodes({1}, {.nodes = {{.name = "d3"}}}, root(), now, out);
  EXPECT_EQ(answered(), "Node count specification invalid: MaxNodeCount in slurm.conf is 4");
  // slurm.conf does not know them, and they stay.
  EXPECT_TRUE(controller.configure(cluster(), now, out));
  settle();
  EXPECT_TRUE(controller.state().find_node("d1"));
  controller.update_partition(
      {1}, {.spec = {.name = "main", .nodes = "n[1-2],d1"}, .changed = {"nodes"}}, root(), now,
      out);
  EXPECT_EQ(answered(), "");
  controller.delete_nodes({1}, {.nodes = "d[1-2]"}, root(), now, out);
  EXPECT_EQ(answered(), "");
  EXPECT_FALSE(controller.state().find_node("d1"));
  EXPECT_EQ(controller.state().find_partition("main")->spec->nodes, "n[1-2]");
  controller.delete_nodes({1}, {.nodes = "n1"}, root(), now, out);
  EXPECT_EQ(answered(), "n1 is a node of slurm.conf: take it out there");
  controller.delete_nodes({1}, {.nodes = "d9"}, root(), now, out);
  EXPECT_EQ(answered(), "Invalid node name specified: d9");
}

TEST_F(Administration, ADrainedNodeComesBackWhenItWasToldTo) {
  EXPECT_EQ(update({.state = "DRAIN", .reason = "fan", .resume_after_s = 60}), "");
  EXPECT_TRUE(node("n1").drain);
  EXPECT_EQ(node("n1").resume_after, now + std::chrono::seconds(60));
  now = now + std::chrono::seconds(59);
  controller.tick(now, out);
  settle();
  EXPECT_TRUE(node("n1").drain);
  now = now + std::chrono::seconds(1);
  controller.tick(now, out);
  settle();
  EXPECT_FALSE(node("n1").drain);
  EXPECT_FALSE(node("n1").resume_after);
}

TEST_F(Administration, ANodeIsResumedByHandBeforeItsTime) {
  EXPECT_EQ(update({.state = "DRAIN", .reason = "fan", .resume_after_s = 60}), "");
  EXPECT_EQ(update({.state = "RESUME"}), "");
  EXPECT_FALSE(node("n1").resume_after);
}

TEST_F(Administration, WhatACloudCallsANodeIsKept) {
  EXPECT_EQ(update({.comment = "c", .instance_id = "i-7", .instance_type = "big"}), "");
  EXPECT_EQ(node("n1").instance_id, "i-7");
  EXPECT_EQ(node("n1").instance_type, "big");
  EXPECT_EQ(update({.extra = "e"}), "");
  EXPECT_EQ(node("n1").instance_id, "i-7");
  EXPECT_EQ(node("n1").comment, "c");
}

TEST_F(Administration, OnlyActiveFeaturesCount) {
  EXPECT_EQ(update({.active_features = "c"}), "Active features not subset of available features");
  EXPECT_EQ(update({.active_features = "a"}), "");
  EXPECT_EQ(node("n1").features_now(), "a");
  EXPECT_EQ(node("n1").spec->features, "a,b");
  EXPECT_EQ(update({.features = "x,y"}), "");
  EXPECT_EQ(node("n1").features_now(), "x,y");
}

TEST_F(Administration, PowerAndNonsenseAreRefused) {
  EXPECT_EQ(update({.state = "POWER_DOWN"}),
            "Requested operation is presently disabled: SuspendProgram is not defined in "
            "slurm.conf");
  EXPECT_EQ(update({.state = "SLEEPY"}), "Invalid node state specified");
  EXPECT_EQ(update({.state = "FUTURE"}), "");
  EXPECT_EQ(node("n1").condition, NodeCondition::Future);
}

TEST_F(Administration, AStepGetsANewLimit) {
  run_job();
  CreateStep create{.job = {1}, .name = "s", .tasks = 1, .time_limit_s = 60};
  controller.create_step({1}, create, ada(), now, out);
  settle();
  auto limit = [&] { return controller.state().find(JobId{1})->steps->back().limit_end; };
  auto change = [&](UpdateStep wish, const Caller& caller) {
    wish.job = {1};
    controller.update_step({1}, wish, caller, now, out);
    return answered();
  };
  EXPECT_EQ(change({.step = StepId{0}, .time_limit_s = 600}, ada()), "");
  EXPECT_EQ(limit(), now + std::chrono::seconds(600));
  EXPECT_EQ(change({.time_limit_change_s = -300}, ada()), "");
  EXPECT_EQ(limit(), now + std::chrono::seconds(300));
  EXPECT_EQ(change({.time_limit_change_s = -300}, ada()),
            "Requested time limit is invalid (missing or exceeds some limit)");
  EXPECT_EQ(change({.time_limit_s = JobSpec::kUnlimited}, ada()), "");
  EXPECT_FALSE(limit());
  EXPECT_EQ(change({.step = StepId{7}, .time_limit_s = 60}, ada()), "Invalid job step specified");
  Caller eve{.uid = {1001}, .gid = {1001}, .user_name = "eve"};
  EXPECT_EQ(change({.time_limit_s = 60}, eve), "Invalid user id");
}

TEST_F(Administration, WordsForABatchJobGoToItsNode) {
  run_job();
  EXPECT_EQ(alter({.verb = JobVerb::Notify, .text = "hello"}, ada()), "");
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(std::get<NotifyJob>(orders[0].message).text, "hello");
  EXPECT_EQ(alter({.verb = JobVerb::Cancel}), "");
  EXPECT_EQ(alter({.verb = JobVerb::Notify, .text = "hello"}),
            "Job/step already completing or completed");
}

TEST_F(Administration, ARequeuedJobMayBeASpecialExit) {
  run_job();
  EXPECT_EQ(alter({.verb = JobVerb::RequeueHold, .special_exit = true}), "");
  NodeReport clean{.node = "n1", .complete = true};
  clean.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
  ASSERT_TRUE(controller.report(clean, now, out));
  settle();
  const Job* job = controller.state().find(JobId{1});
  EXPECT_EQ(job->state, JobState::Pending);
  EXPECT_TRUE(job->special_exit);
  EXPECT_TRUE(job->held());
  EXPECT_EQ(alter({.verb = JobVerb::Release}), "");
  EXPECT_FALSE(controller.state().find(JobId{1})->special_exit);
}

TEST_F(Administration, TheEndOfARunningJobMoves) {
  run_job();
  AlterJobs wish{.verb = JobVerb::Update};
  wish.patch.end = now + std::chrono::seconds(120);
  EXPECT_EQ(alter(wish), "");
  EXPECT_EQ(controller.state().find(JobId{1})->limit_end, now + std::chrono::seconds(120));
  wish.patch.end = now;
  EXPECT_EQ(alter(wish), "Invalid time specified");
}

TEST_F(Administration, ARunningJobThatIsHeldSaysSo) {
  run_job();
  EXPECT_EQ(alter({.verb = JobVerb::Hold}), "");
  const Job& job = *controller.state().find(JobId{1});
  EXPECT_EQ(reason_of(job, {}, now), Reason::JobHeldAdmin);
}

TEST_F(Administration, MoreNodesThanAPartitionHasAreRefusedAtTheUpdate) {
  SubmitJob submit;
  submit.hold = true;
  submit.spec.batch = true;
  submit.script = "#!/bin/sh\n";
  submit.spec.script_blob = "blob";
  controller.submit({1}, submit, ada(), now, out);
  settle();
  AlterJobs wish{.verb = JobVerb::Update};
  wish.patch.min_nodes = wish.patch.max_nodes = 9;
  EXPECT_EQ(alter(wish), "Requested partition configuration not available now");
}

TEST_F(Administration, ANewPartitionMakesRoomAsTheClusterDoes) {
  ClusterConfig config = cluster();
  config.preempt.mode_text = "REQUEUE";
  EXPECT_TRUE(controller.configure(config, now, out));
  settle();
  auto create = [&](const std::string& name, const std::string& mode) {
    UpdatePartition wish{
        .spec = {.name = name, .nodes = "n1"}, .changed = {"nodes"}, .create = true};
    if (!mode.empty()) wish.changed.emplace_back("preempt_mode");
    wish.spec.preempt_mode = mode;
    controller.update_partition({1}, wish, root(), now, out);
    EXPECT_EQ(answered(), "");
    return controller.state().find_partition(name)->spec->preempt_mode;
  };
  EXPECT_EQ(create("usual", ""), "REQUEUE");
  EXPECT_EQ(create("own", "OFF"), "OFF");
}

TEST_F(Administration, OnePartitionIsTheDefault) {
  auto change = [&](const std::string& name, bool is_default, bool create) {
    UpdatePartition wish{.spec = {.name = name, .nodes = "n2,n1", .is_default = is_default},
                         .changed = {"nodes", "is_default"},
                         .create = create};
    controller.update_partition({1}, wish, root(), now, out);
    EXPECT_EQ(answered(), "");
    const Partition* found = controller.state().default_partition();
    return found ? found->spec->name : "";
  };
  EXPECT_EQ(change("new", true, true), "new");
  EXPECT_FALSE(controller.state().find_partition("main")->spec->is_default);
  EXPECT_EQ(change("main", true, false), "main");
  EXPECT_FALSE(controller.state().find_partition("new")->spec->is_default);
  EXPECT_EQ(change("main", false, false), "");
  EXPECT_EQ(controller.state().find_partition("main")->spec->nodes, "n[1-2]");
}

}  // namespace
}  // namespace ym
