// SPDX-License-Identifier: Apache-2.0
// What few jobs ask for: --batch, --mcs-label, --exclusive=mcs, --resv-ports, --reboot.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "controller/yard_for_test.h"

namespace ym {
namespace {

Caller eve() { return {.uid = {1001}, .gid = {1001}, .user_name = "eve"}; }

class Specials : public testing::Test {
 protected:
  Specials() : config(Yard::cluster(3, {.cpus = 4, .memory_mb = 1000})) {}

  Yard& yard() {
    if (!yard_) yard_.emplace(config);
    return *yard_;
  }
  static SubmitJob request(const JobSpecials& specials, JobExtras extras = {}) {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    submit.spec.time_limit_s = 60;
    extras.specials = Ref(specials);
    submit.spec.extras = Ref(std::move(extras));
    return submit;
  }
  // "" or the refusal.
  std::string submit(const SubmitJob& request, const Caller& caller = ada()) {
    yard().controller.submit({1}, request, caller, yard().now, yard().out);
    Answer answer = yard().settle().replies.back().answer;
    const auto* failure = std::get_if<Failure>(&answer);
    return failure ? failure->text : "";
  }
  Outbox plan() {
    Controller& controller = yard().controller;
    controller.commit(yard().planner.plan(controller.state(), yard().now, {}), yard().now,
                      yard().out);
    return yard().settle();
  }
  // "n1", "n2 n3", or "" of one that waits.
  std::string nodes_of(std::uint32_t job) {
    std::string text;
    for (const NodeShare& share : yard().job(job).allocation->nodes)
      text += (text.empty() ? "" : " ") + yard().controller.state().find(share.node)->spec->name;
    return text;
  }
  void boot(const std::string& name, const std::string& boot_id) {
    NodeReport report{.node = name, .complete = true};
    report.registration = {.cpus = 4,
                           .memory_mb = 1000,
                           .boot_time = yard().now,
                           .slurmd_start = yard().now,
                           .boot_id = boot_id};
    EXPECT_TRUE(yard().controller.report(report, yard().now, yard().out));
  }

  ClusterConfig config;
  std::optional<Yard> yard_;
};

TEST_F(Specials, TheScriptGoesToANodeThatHasWhatItWishesFor) {
  config.nodes[0].features = "slow";
  config.nodes[1].features = "slow";
  config.nodes[2].features = "fast";
  SubmitJob job = request({.batch_features = "fast"}, {.features = "slow|fast"});
  job.spec.min_nodes = job.spec.tasks = 3;
  EXPECT_EQ(submit(job), "");
  Outbox out = plan();
  ASSERT_EQ(nodes_of(1), "n1 n2 n3");
  const Node& fast = yard().node("n3");
  EXPECT_EQ(yard().job(1).allocation->batch_share().node, fast.id);
  auto launch = std::ranges::find_if(out.orders, [](const Order& order) {
    return std::holds_alternative<LaunchJob>(order.message);
  });
  ASSERT_NE(launch, out.orders.end());
  EXPECT_EQ(launch->node, fast.id);
}

TEST_F(Specials, NoNodeThatTheScriptWishesForMeansTheFirst) {
  config.nodes[2].features = "fast";
  config.nodes[0].features = "slow";
  SubmitJob job = request({.batch_features = "fast"}, {.features = "slow|fast"});
  EXPECT_EQ(submit(job), "");
  plan();
  EXPECT_EQ(nodes_of(1), "n1");
  EXPECT_FALSE(yard().job(1).allocation->batch_node);
}

TEST_F(Specials, AWishOfTheScriptBeyondTheJobsIsRefused) {
  config.nodes[0].features = "slow,fast";
  const char* text = "Job --batch option is invalid or not a subset of --constraints";
  EXPECT_EQ(submit(request({.batch_features = "fast"}, {.features = "slow"})), text);
  EXPECT_EQ(submit(request({.batch_features = "slow*2"}, {.features = "slow"})), text);
  EXPECT_EQ(submit(request({.batch_features = "slow"})), text);
}

TEST_F(Specials, AUsersLabelIsHisName) {
  config.mcs.kind = McsKind::User;
  EXPECT_EQ(submit(request({.mcs_label = "eve"})), "Invalid mcs_label specified");
  EXPECT_EQ(submit(request({.mcs_label = "ada"})), "");
  EXPECT_EQ(submit(request({})), "");
  EXPECT_EQ(yard().job(1).spec->extras->specials->mcs_label, "ada");
  EXPECT_EQ(yard().job(2).spec->extras->specials->mcs_label, "");
}

TEST_F(Specials, AGroupsLabelIsOneThatTheSiteKnowsAndTheUserIsIn) {
  config.mcs = {.kind = McsKind::Group, .enforced = true, .groups = {"red", "blue"}};
  Caller painter = ada();
  painter.groups = {"blue", "green"};
  EXPECT_EQ(submit(request({}), painter), "");
  EXPECT_EQ(yard().job(1).spec->extras->specials->mcs_label, "blue");
  EXPECT_EQ(submit(request({.mcs_label = "green"}), painter), "Invalid mcs_label specified");
  EXPECT_EQ(submit(request({}), eve()), "Invalid mcs_label specified");
}

TEST_F(Specials, NodesAreSharedWithinALabelOnly) {
  config.mcs.kind = McsKind::Label;
  auto labelled = [](const char* label, std::uint8_t kind) {
    return request({.mcs_label = label, .exclusive_kind = kind});
  };
  EXPECT_EQ(submit(labelled("red", kExclusiveMcs)), "");
  EXPECT_EQ(submit(labelled("red", kExclusiveNode), eve()), "");
  EXPECT_EQ(submit(labelled("blue", kExclusiveNode)), "");
  EXPECT_EQ(submit(labelled("blue", kExclusiveMcs)), "");
  plan();
  EXPECT_EQ(nodes_of(1), "n1");
  EXPECT_EQ(nodes_of(2), "n1");
  EXPECT_EQ(nodes_of(3), "n2");
  EXPECT_EQ(nodes_of(4), "n2");
  EXPECT_EQ(yard().node("n1").mcs_label, "red");
}

TEST_F(Specials, WithSelectLabelsKeepJobsApartWithoutAWord) {
  config.mcs = {.kind = McsKind::User, .select = McsSelect::Always, .enforced = true};
  EXPECT_EQ(submit(request({})), "");
  EXPECT_EQ(submit(request({}), eve()), "");
  plan();
  EXPECT_EQ(nodes_of(1), "n1");
  EXPECT_EQ(nodes_of(2), "n2");
}

TEST_F(Specials, StepsGetPortsThatNoOtherStepOnTheirNodesHas) {
  config.mpi_port_first = 12000;
  config.mpi_port_last = 12003;
  SubmitJob job;
  job.spec.time_limit_s = 60;
  job.spec.tasks = job.spec.min_nodes = 3;
  job.spec.exclusive = true;
  yard().submit_and_start(job);
  auto ports = [&](CreateStep create) {
    create.job = {1};
    create.overlap = true;
    yard().controller.create_step({1}, create, ada(), yard().now, yard().out);
    Answer answer = yard().settle().replies.back().answer;
    if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
    const Step& step = std::get<StepCreated>(answer).step;
    return fmt::format("{}+{}", step.first_port, step.ports);
  };
  EXPECT_EQ(ports({.tasks = 1, .node_list = "n1"}), "0+0");
  EXPECT_EQ(ports({.tasks = 1, .node_list = "n1", .ports = 3}), "12000+3");
  EXPECT_EQ(ports({.tasks = 2, .node_list = "n2", .ports = kPortForEachTask}), "12000+2");
  EXPECT_EQ(ports({.tasks = 1, .node_list = "n1", .ports = 2}), "Required ports are in use");
  EXPECT_EQ(ports({.tasks = 1, .node_list = "n1", .ports = 1}), "12003+1");
  EXPECT_EQ(ports({.tasks = 1, .ports = 5}), "Requires more ports than can be reserved");
}

TEST_F(Specials, AJobThatBootsItsNodesBeginsWhenTheyAreUpAgain) {
  config.reboot_program = "/sbin/reboot";
  for (const char* name : {"n1", "n2", "n3"}) boot(name, "first");
  yard().settle();
  EXPECT_EQ(submit(request({.reboot = true})), "Access/permission denied");
  EXPECT_EQ(submit(request({.reboot = true}), root()), "");
  Outbox out = plan();
  ASSERT_EQ(nodes_of(1), "n1");
  auto count = [](const Outbox& outbox, auto is) {
    return std::ranges::count_if(outbox.orders, [&](const Order& o) { return is(o.message); });
  };
  auto is_reboot = [](const auto& m) { return std::holds_alternative<RebootNode>(m); };
  auto is_launch = [](const auto& m) { return std::holds_alternative<LaunchJob>(m); };
  EXPECT_EQ(count(out, is_reboot), 1);
  EXPECT_EQ(count(out, is_launch), 0);
  EXPECT_TRUE(yard().job(1).configuring);
  EXPECT_TRUE(yard().job(1).spec->exclusive);
  yard().now = yard().now + std::chrono::seconds(20);
  boot("n1", "second");
  out = yard().settle();
  EXPECT_EQ(count(out, is_launch), 1);
  EXPECT_FALSE(yard().job(1).configuring);
  EXPECT_EQ(yard().job(1).state, JobState::Running);
  EXPECT_EQ(yard().node("n1").reboot.phase, RebootPhase::None);
}

TEST_F(Specials, ANodeThatDoesNotComeBackIsDownAndTheJobWaitsForAnother) {
  config.reboot_program = "/sbin/reboot";
  config.resume_timeout = std::chrono::seconds(60);
  for (const char* name : {"n1", "n2", "n3"}) boot(name, "first");
  EXPECT_EQ(submit(request({.reboot = true}), root()), "");
  plan();
  yard().now = yard().now + std::chrono::seconds(61);
  yard().controller.tick(yard().now, yard().out);
  yard().settle();
  EXPECT_EQ(yard().node("n1").condition, NodeCondition::Down);
  EXPECT_NE(yard().job(1).state, JobState::Running);
}

}  // namespace
}  // namespace ym
