// SPDX-License-Identifier: Apache-2.0
// What would be if a job had asked for something else.
#include "controller/queries/explain.h"

#include <gtest/gtest.h>

#include "controller/controller.h"
#include "controller/queries/rows.h"
#include "schedule/planner.h"

namespace ym {
namespace {

constexpr Instant kNow{1'700'000'000'000};
const Caller kAnn{.uid = {1000}, .gid = {1000}, .user_name = "ann"};

// Two nodes of four CPUs; a job runs on one of them, and one that wants both waits.
class WhatIf : public ::testing::Test {
 protected:
  WhatIf() : controller_(config(), State{}) {
    EXPECT_TRUE(controller_.configure(config(), kNow, out_));
    controller_.begin_watch(kNow, out_);
    for (const NodeSpec& node : config().nodes) {
      NodeRegistration found{.cpus = 4,
                             .boards = 1,
                             .sockets = 1,
                             .cores_per_socket = 4,
                             .threads_per_core = 1,
                             .memory_mb = 1};
      EXPECT_TRUE(controller_.report({.node = node.name, .complete = true, .registration = found},
                                     kNow, out_));
    }
    submit(1, 600);
    Planner planner(controller_.placement_rules());
    planner.rebuild(controller_.state());
    EXPECT_EQ(controller_.commit(planner.plan(controller_.state(), kNow, {}), kNow, out_), 1u);
    submit(2, 600);
    submit(1, 3600);
  }

  static ClusterConfig config() {
    ClusterConfig config;
    for (const char* name : {"n1", "n2"}) {
      NodeSpec node{.name = name, .hostname = name, .address = name};
      node.cpus = node.cores_per_socket = 4;
      config.nodes.push_back(node);
    }
    config.partitions = {{.name = "main", .nodes = "n[1-2]", .is_default = true}};
    return config;
  }

  void submit(std::uint32_t nodes, std::uint32_t limit_s) {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.exclusive = true;
    submit.spec.script_blob = "x";
    submit.spec.min_nodes = submit.spec.max_nodes = submit.spec.tasks = nodes;
    submit.spec.time_limit_s = limit_s;
    controller_.submit(RequestId{1}, submit, kAnn, kNow, out_);
  }

  LivePlan live() const { return {.rules = controller_.placement_rules()}; }
  Result<Explanation> ask(JobPatch change, const Caller& caller = kAnn) const {
    return explain_changed(controller_.config(), controller_.state(),
                           {.target = {.job = JobId{3}}, .what_if = true, .change = change}, caller,
                           live(), kNow);
  }

  Controller controller_;
  Outbox out_;
};

TEST_F(WhatIf, AShorterJobWouldStartNowAndNothingIsChanged) {
  auto as_it_is = explain(controller_.state(), {.job = JobId{3}}, live(), kNow);
  ASSERT_TRUE(as_it_is);
  EXPECT_GT(as_it_is->expected_start, kNow);
  JobPatch shorter;
  shorter.time_limit_s = 300;
  auto told = ask(shorter);
  ASSERT_TRUE(told) << told.error().text;
  EXPECT_EQ(told->expected_start, kNow);
  EXPECT_EQ(controller_.state().find(JobId{3})->spec->time_limit_s, 3600u);
}

TEST_F(WhatIf, WhatAnUpdateWouldRefuseIsRefused) {
  JobPatch elsewhere;
  elsewhere.partitions = "nowhere";
  EXPECT_FALSE(ask(elsewhere));
  JobPatch wider;
  wider.min_nodes = 3;
  EXPECT_FALSE(ask(wider));
  JobPatch shorter;
  shorter.time_limit_s = 300;
  EXPECT_FALSE(ask(shorter, {.uid = {1001}, .gid = {1001}, .user_name = "bob"}));
}

// What squeue says of each job that waits is what is explained, however deep the plan goes.
TEST_F(WhatIf, SaysWhatThePlannerThatRunsHasSaid) {
  for (std::uint32_t i = 0; i < 10; ++i) submit(1 + i % 2, 600 + i * 60);
  for (std::size_t depth : {1u, 3u, 100u}) {
    PlanBudget budget{.reservations_max = depth};
    Planner planner(controller_.placement_rules());
    planner.rebuild(controller_.state());
    Plan found = planner.plan(controller_.state(), kNow, budget);
    ASSERT_EQ(found.starts.size(), 1u) << "one fits before the first";
    Verdicts verdicts = found.verdicts;
    verdicts.at = kNow + Duration(1);
    LivePlan plan = live();
    plan.verdicts = Ref(verdicts);
    plan.budget = budget;
    std::size_t promised = 0, others = 0;
    for (std::uint32_t id = 2; id <= 13; ++id) {
      if (found.starts.front().job == JobId{id}) continue;
      JobRow row =
          job_row(controller_.state(), *controller_.state().find(JobId{id}), verdicts, kNow);
      auto told = explain(controller_.state(), {.job = JobId{id}}, plan, kNow);
      ASSERT_TRUE(told);
      ASSERT_FALSE(told->obstacles.empty());
      for (const Obstacle& one : told->obstacles)
        EXPECT_EQ(one.reason, row.reason) << "job " << id << " depth " << depth;
      EXPECT_EQ(told->expected_start, row.expected_start) << "job " << id << " depth " << depth;
      EXPECT_EQ(told->nodes.empty(), !row.expected_start) << "job " << id << " depth " << depth;
      ++(row.expected_start ? promised : others);
      JobPatch same;
      same.comment = "no matter";
      auto changed = explain_changed(
          controller_.config(), controller_.state(),
          {.target = {.job = JobId{id}}, .what_if = true, .change = same}, kAnn, plan, kNow);
      ASSERT_TRUE(changed) << changed.error().text;
      EXPECT_EQ(changed->expected_start, row.expected_start) << "job " << id << " depth " << depth;
    }
    EXPECT_EQ(promised, std::min<std::size_t>(depth, 11));
    EXPECT_EQ(others, 11 - promised);
  }
}

}  // namespace
}  // namespace ym
