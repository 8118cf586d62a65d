// SPDX-License-Identifier: Apache-2.0
// A running job that gives memory back.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/yard_for_test.h"

namespace ym {
namespace {

// Two nodes of 1000 MB, and a job that has 800 MB of each.
class Memory : public testing::Test, protected Yard {
 protected:
  static ClusterConfig two_nodes() {
    ClusterConfig config = cluster(2, {.cpus = 4, .sockets = 4, .memory_mb = 1000});
    config.memory_is_consumable = true;
    config.slurmd_timeout = std::chrono::hours(24);  // nobody reports while time passes
    return config;
  }
  static SubmitJob wish(std::uint32_t nodes, std::uint64_t memory_mb) {
    SubmitJob submit;
    submit.spec.name = "j";
    submit.spec.batch = true;
    submit.script = "#!/bin/sh\n";
    submit.spec.script_blob = "blob";
    submit.spec.time_limit_s = 3600;
    submit.spec.min_nodes = submit.spec.tasks = nodes;
    submit.spec.memory_per_node_mb = memory_mb;
    return submit;
  }
  Memory() : Yard(two_nodes()) { planner.set_rules(controller.placement_rules()); }
  void run(const SubmitJob& submit) {
    submit_and_start(submit);
    ASSERT_EQ(job(1).state, JobState::Running);
  }
  // What was refused; empty: nothing.
  std::string update(std::uint64_t memory_mb, const Caller& caller = ada()) {
    AlterJobs alter;
    alter.filter.targets = {{.job = {1}}};
    alter.patch.memory_per_node_mb = memory_mb;
    controller.alter({1}, alter, caller, now, out);
    Outbox taken = settle();
    asked = limits_in(taken);
    return std::get<AlterAnswer>(taken.replies.back().answer).outcomes.at(0).text;
  }
  static std::vector<std::pair<NodeId, std::uint64_t>> limits_in(const Outbox& taken) {
    std::vector<std::pair<NodeId, std::uint64_t>> found;
    for (const Order& order : taken.orders)
      if (const auto* limit = std::get_if<LimitMemory>(&order.message))
        found.emplace_back(order.node, limit->memory_mb);
    return found;
  }
  Outbox told(const std::string& name, std::uint64_t asked_mb, std::uint64_t limit_mb,
              std::uint64_t used_mb = 0) {
    MemoryReport report{.job = {1},
                        .sluid = job(1).sluid,
                        .asked_mb = asked_mb,
                        .limit_mb = limit_mb,
                        .used_mb = used_mb};
    EXPECT_TRUE(controller.report({.node = name, .memory = {report}}, now, out));
    return settle();
  }
  std::vector<std::pair<NodeId, std::uint64_t>> tick(std::chrono::seconds later) {
    now = now + later;
    controller.tick(now, out);
    return limits_in(settle());
  }
  using Asked = std::vector<std::pair<NodeId, std::uint64_t>>;
  Asked asked;
};

TEST_F(Memory, IsFreeWhenTheLastNodeHasLoweredTheLimit) {
  run(wish(2, 800));
  EXPECT_EQ(update(300), "");
  EXPECT_EQ(asked, (Asked{{node("n1").id, 300}, {node("n2").id, 300}}));
  EXPECT_EQ(node("n1").memory_used_mb, 800u);
  EXPECT_TRUE(told("n1", 300, 300).events.empty());
  EXPECT_EQ(node("n1").memory_used_mb, 800u) << "n2 has not said so";
  Outbox last = told("n2", 300, 300);
  ASSERT_EQ(last.events.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<JobMemoryLowered>(last.events.front().body));
  EXPECT_EQ(node("n1").memory_used_mb, 300u);
  EXPECT_EQ(node("n2").memory_used_mb, 300u);
  EXPECT_EQ(job(1).memory->lowered_mb, 300u);
  EXPECT_EQ(job(1).spec->memory_per_node_mb, 800u) << "a requeue asks for it all";
  EXPECT_TRUE(told("n2", 300, 300).events.empty()) << "said twice";
  submit_and_start(wish(1, 600));
  EXPECT_EQ(job(2).state, JobState::Running);
}

TEST_F(Memory, IsNeverRaised) {
  run(wish(2, 800));
  EXPECT_NE(update(801).find("can only be lowered"), std::string::npos);
  EXPECT_NE(update(0), "");
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(update(800), "") << "that is what it has";
  EXPECT_TRUE(asked.empty());
  update(300);
  EXPECT_NE(update(400), "") << "a node may have lowered the limit already";
  EXPECT_EQ(update(200), "");
  EXPECT_TRUE(told("n1", 300, 300).events.empty()) << "that was asked before";
  told("n1", 200, 200);
  told("n2", 200, 200);
  EXPECT_EQ(node("n2").memory_used_mb, 200u);
}

TEST_F(Memory, IsForTheOwnerAndOperators) {
  run(wish(1, 800));
  EXPECT_NE(update(300, {.uid = {1001}, .gid = {1001}, .user_name = "eve"}), "");
  EXPECT_EQ(update(300, root()), "");
}

TEST_F(Memory, ThatIsInUseIsKept) {
  run(wish(2, 800));
  update(300);
  told("n1", 300, 450);
  told("n2", 300, 300);
  EXPECT_EQ(node("n1").memory_used_mb, 450u);
  EXPECT_EQ(node("n2").memory_used_mb, 300u);
  EXPECT_EQ(job(1).memory->lowered_mb, 450u);
  EXPECT_EQ(update(250), "") << "and may be asked for again";
  told("n1", 250, 900);
  told("n2", 250, 900);
  EXPECT_EQ(*job(1).memory, JobMemory{.lowered_mb = 450}) << "nothing to give";
}

TEST_F(Memory, ANodeThatDoesNotAnswerIsAskedAgain) {
  run(wish(2, 800));
  update(300);
  told("n1", 300, 300);
  EXPECT_EQ(tick(std::chrono::seconds(10)), (Asked{{node("n2").id, 300}}));
  EXPECT_EQ(node("n1").memory_used_mb, 800u);
}

TEST_F(Memory, ARestartedControllerAsksAllOfThemAgain) {
  run(wish(2, 800));
  update(300);
  told("n1", 300, 300);
  Controller next(two_nodes(), State(controller.state()));
  EXPECT_EQ(next.indexes(), controller.indexes());
  Outbox first;
  next.begin_watch(now, first);
  EXPECT_EQ(limits_in(first), (Asked{{node("n1").id, 300}, {node("n2").id, 300}}));
}

TEST_F(Memory, ARestartedNodeHearsOfTheLimitAgain) {
  run(wish(1, 800));
  update(300);
  told("n1", 300, 300);
  AttemptReport attempt{.job = {1}, .sluid = job(1).sluid, .batch = true};
  NodeReport report{.node = "n1", .complete = true, .attempts = {attempt}};
  report.registration = *node("n1").registration;
  EXPECT_TRUE(controller.report(report, now, out));
  EXPECT_EQ(limits_in(settle()), (Asked{{node("n1").id, 300}}));
}

TEST_F(Memory, AnEndedJobIsNotAskedFor) {
  run(wish(1, 800));
  update(300);
  AlterJobs cancel{.verb = JobVerb::Cancel};
  cancel.filter.targets = {{.job = {1}}};
  controller.alter({1}, cancel, ada(), now, out);
  settle();
  EXPECT_TRUE(told("n1", 300, 300).events.empty());
  EXPECT_TRUE(tick(std::chrono::seconds(10)).empty());
}

// --mem-update=20@10
class MemoryUpdate : public Memory {
 protected:
  static SubmitJob thrifty(SubmitJob submit) {
    JobExtras extras;
    extras.specials = Ref(JobSpecials{.memory_margin = 20, .memory_delay_s = 600});
    submit.spec.extras = Ref(std::move(extras));
    return submit;
  }
};

TEST_F(MemoryUpdate, LooksOnceAndKeepsTheMarginAboveTheMostThatIsInUse) {
  run(thrifty(wish(2, 800)));
  EXPECT_TRUE(tick(std::chrono::seconds(599)).empty());
  EXPECT_EQ(tick(std::chrono::seconds(1)), (Asked{{node("n1").id, 0}, {node("n2").id, 0}}));
  EXPECT_TRUE(limits_in(told("n1", 0, 0, 200)).empty());
  Outbox looked = told("n2", 0, 0, 101);
  EXPECT_EQ(limits_in(looked), (Asked{{node("n1").id, 240}, {node("n2").id, 240}}));
  EXPECT_EQ(node("n1").memory_used_mb, 800u);
  told("n1", 240, 240);
  told("n2", 240, 240);
  EXPECT_EQ(node("n1").memory_used_mb, 240u);
  EXPECT_EQ(*job(1).memory, (JobMemory{.lowered_mb = 240, .looked = true}));
  EXPECT_TRUE(tick(std::chrono::seconds(700)).empty());
}

TEST_F(MemoryUpdate, NeverRaisesAndLeavesATenth) {
  run(thrifty(wish(1, 800)));
  tick(std::chrono::seconds(600));
  Outbox full = told("n1", 0, 0, 700);  // 840 MB with the margin
  EXPECT_TRUE(limits_in(full).empty());
  EXPECT_EQ(*job(1).memory, JobMemory{.looked = true});
  EXPECT_TRUE(tick(std::chrono::seconds(60)).empty());
}

TEST_F(MemoryUpdate, LeavesATenthOfWhatWasAskedFor) {
  run(thrifty(wish(1, 800)));
  tick(std::chrono::seconds(600));
  EXPECT_EQ(limits_in(told("n1", 0, 0, 3)), (Asked{{node("n1").id, 80}}));
}

TEST_F(MemoryUpdate, CountsByNodeWhateverWasAskedForByCpu) {
  SubmitJob submit = wish(1, 0);
  submit.spec.memory_per_cpu_mb = 200;
  submit.spec.cpus_per_task = 4;
  run(thrifty(submit));
  ASSERT_EQ(node("n1").memory_used_mb, 800u);
  tick(std::chrono::seconds(600));
  EXPECT_EQ(limits_in(told("n1", 0, 0, 250)), (Asked{{node("n1").id, 300}}));
}

TEST_F(MemoryUpdate, TimeInWhichItIsSuspendedDoesNotCount) {
  run(thrifty(wish(1, 800)));
  AlterJobs alter{.verb = JobVerb::Suspend};
  alter.filter.targets = {{.job = {1}}};
  controller.alter({1}, alter, root(), now, out);
  settle();
  EXPECT_TRUE(tick(std::chrono::seconds(1000)).empty());
  alter.verb = JobVerb::Resume;
  controller.alter({1}, alter, root(), now, out);
  settle();
  EXPECT_TRUE(tick(std::chrono::seconds(599)).empty());
  EXPECT_EQ(tick(std::chrono::seconds(1)).size(), 1u);
}

}  // namespace
}  // namespace ym
