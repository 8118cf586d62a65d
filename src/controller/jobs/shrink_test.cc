// SPDX-License-Identifier: Apache-2.0
// A job that gives nodes back; tests/scenario/shrink.txt tells the plain story.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/yard_for_test.h"

namespace ym {
namespace {

// Four nodes, and a job on all of them.
class Shrink : public testing::Test, protected Yard {
 protected:
  static ClusterConfig four_nodes() {
    return cluster(4, {.cpus = 2, .sockets = 2, .memory_mb = 1000});
  }
  Shrink() : Yard(four_nodes()) {
    SubmitJob submit;
    submit.spec.name = "j";
    submit.spec.batch = true;
    submit.script = "#!/bin/sh\n";
    submit.spec.script_blob = "blob";
    submit.spec.time_limit_s = 3600;
    submit.spec.min_nodes = 4;
    submit.spec.tasks = 8;
    submit_and_start(submit);
  }
  // The orders that follow; what was refused is in `refused`.
  std::vector<Order> shrink(std::uint32_t nodes) {
    AlterJobs wish;
    wish.filter.targets = {{.job = {1}}};
    wish.patch.min_nodes = nodes;
    controller.alter({1}, wish, ada(), now, out);
    Outbox taken = settle();
    refused = std::get<AlterAnswer>(taken.replies.back().answer).outcomes.at(0).text;
    return taken.orders;
  }
  void clean(const std::string& name) {
    AttemptReport attempt{.job = {1}, .sluid = job().sluid, .phase = AttemptPhase::Clean};
    EXPECT_TRUE(controller.report({.node = name, .attempts = {attempt}}, now, out));
    settle();
  }
  const Job& job() const { return Yard::job(1); }

  std::string refused;
};

TEST_F(Shrink, NodesAreHeldUntilTheyAreClean) {
  EXPECT_FALSE(job().resized);
  std::vector<Order> orders = shrink(2);
  EXPECT_EQ(job().resized, now);
  ASSERT_EQ(orders.size(), 2u);
  for (const Order& order : orders) EXPECT_TRUE(std::holds_alternative<KillJob>(order.message));
  EXPECT_EQ(job().allocation->nodes.size(), 2u);
  EXPECT_EQ(job().allocation->generation, 1u);
  EXPECT_EQ(job().spec->tasks, 4u);
  EXPECT_EQ(node("n3").cpus_used, 2u);
  EXPECT_EQ(state_word(node("n3")), "completing");
  clean("n3");
  EXPECT_EQ(node("n3").cpus_used, 0u);
  EXPECT_EQ(node("n3").jobs, 0u);
  EXPECT_EQ(node("n4").cpus_used, 2u);
  EXPECT_EQ(job().state, JobState::Running);
}

TEST_F(Shrink, ALostOrderIsRepeated) {
  shrink(3);
  now = now + std::chrono::seconds(10);
  controller.tick(now, out);
  Outbox taken = settle();
  auto kills = std::ranges::count_if(taken.orders, [](const Order& order) {
    return std::holds_alternative<KillJob>(order.message);
  });
  EXPECT_EQ(kills, 1);
  // A node that knows nothing of the job is clean.
  connect({.name = "n4", .cpus = 2, .memory_mb = 1000});
  settle();
  EXPECT_EQ(node("n4").jobs, 0u);
}

TEST_F(Shrink, AJobThatEndsMeanwhileWaitsForThemAll) {
  shrink(1);
  AlterJobs cancel{.verb = JobVerb::Cancel};
  cancel.filter.targets = {{.job = {1}}};
  controller.alter({1}, cancel, ada(), now, out);
  settle();
  EXPECT_EQ(job().nodes_left.size(), 4u);
  for (const char* name : {"n3", "n1", "n4"}) clean(name);
  EXPECT_TRUE(job().completing());
  clean("n2");
  EXPECT_FALSE(job().completing());
  for (const char* name : {"n1", "n2", "n3", "n4"}) {
    EXPECT_EQ(node(name).jobs, 0u);
    EXPECT_EQ(node(name).completing, 0u);
  }
}

TEST_F(Shrink, ANodeThatIsLostIsNotWaitedFor) {
  shrink(2);
  controller.update_nodes({1}, {.nodes = "n4", .state = "DOWN", .reason = "x"},
                          {.uid = {0}, .user_name = "root", .administrator = true}, now, out);
  settle();
  EXPECT_EQ(node("n4").jobs, 0u);
  EXPECT_EQ(job().state, JobState::Running);
}

TEST_F(Shrink, StepsEndWhereTheJobIsNoMore) {
  controller.create_step({1}, {.job = {1}, .tasks = 4, .nodes = 4}, ada(), now, out);
  settle();
  shrink(3);
  clean("n4");
  ASSERT_EQ(job().steps->size(), 1u);
  EXPECT_EQ(job().steps->front().nodes_left.size(), 3u);
  controller.create_step({1}, {.job = {1}, .tasks = 3, .nodes = 3, .overlap = true}, ada(), now,
                         out);
  settle();
  EXPECT_EQ(job().steps->back().shares.size(), 3u);
}

TEST_F(Shrink, ARestartReadsTheSame) {
  shrink(2);
  Controller next(four_nodes(), State(controller.state()));
  EXPECT_EQ(next.indexes(), controller.indexes());
}

}  // namespace
}  // namespace ym
