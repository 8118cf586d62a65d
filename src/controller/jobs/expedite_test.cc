// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>

#include "controller/queries/rows.h"
#include "controller/yard_for_test.h"

namespace ym {
namespace {

// Two nodes with four CPUs each, and job 1, which has both.
class ExpediteTest : public testing::Test {
 protected:
  static ClusterConfig cluster() {
    ClusterConfig config = Yard::cluster(2, {.cpus = 4, .memory_mb = 1000});
    config.epilog = "/etc/epilog";
    config.shown.emplace_back("SlurmctldParameters", "enable_configless,Enable_Expedited_Requeue");
    return config;
  }
  static SubmitJob request(std::uint32_t nodes, bool expedite) {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    submit.spec.time_limit_s = 600;
    submit.spec.min_nodes = submit.spec.tasks = nodes;
    submit.spec.exclusive = true;
    if (expedite)
      submit.spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.expedite = true})});
    return submit;
  }
  void begin(const ClusterConfig& config = cluster()) {
    yard.emplace(config);
    yard->submit_and_start(request(2, true));
    ASSERT_EQ(job(1).state, JobState::Running);
  }
  const Job& job(std::uint32_t id) { return yard->job(id); }
  void hear(const std::string& node, AttemptReport attempt, const std::string& drain = {}) {
    attempt.job = {1};
    attempt.sluid = job(1).sluid;
    NodeReport report{.node = node, .attempts = {attempt}, .drain_reason = drain};
    EXPECT_TRUE(yard->controller.report(report, yard->now, yard->out));
    yard->settle();
  }
  void script_ends(std::uint8_t code) {
    hear("n1", {.batch = true, .batch_ended = true, .exit = {.code = code}});
  }
  void clean(const std::string& node, const std::string& drain = {}) {
    hear(node, {.phase = AttemptPhase::Clean, .batch = node == "n1", .batch_ended = node == "n1"},
         drain);
  }
  void set_node(const std::string& node, const std::string& state) {
    yard->controller.update_nodes({1}, {.nodes = node, .state = state, .reason = "test"}, root(),
                                  yard->now, yard->out);
    yard->settle();
  }
  void alter(JobVerb verb) {
    AlterJobs request{.verb = verb};
    request.filter.targets.push_back({.job = {1}});
    yard->controller.alter({1}, request, root(), yard->now, yard->out);
    yard->settle();
  }
  void schedule() {
    Plan plan = yard->planner.plan(yard->controller.state(), yard->now, {});
    yard->controller.commit(plan, yard->now, yard->out);
    yard->settle();
  }
  bool kept(const std::string& node) { return yard->node(node).kept_for == JobId{1}; }

  std::optional<Yard> yard;
};

TEST_F(ExpediteTest, ALostNodeBringsItBackAndTheOthersAreKeptForIt) {
  begin();
  set_node("n2", "DOWN");
  EXPECT_EQ(job(1).state, JobState::NodeFail);
  yard->submit_and_start(request(1, false));
  EXPECT_EQ(job(2).state, JobState::Pending) << "n1 is not clean yet";
  clean("n1");
  EXPECT_EQ(job(1).state, JobState::Pending);
  EXPECT_EQ(job(1).eligible, yard->now);
  EXPECT_TRUE(kept("n1"));
  schedule();
  EXPECT_EQ(job(2).state, JobState::Pending) << "n1 is kept";
  set_node("n2", "RESUME");
  schedule();
  EXPECT_EQ(job(1).state, JobState::Running) << "before job 2, which has waited for longer";
  EXPECT_EQ(job(1).restarts, 1u);
  EXPECT_FALSE(kept("n1") || kept("n2"));
  EXPECT_EQ(job(1).spec->extras->specials->keeps, 0u);
}

TEST_F(ExpediteTest, AScriptThatFailedOnASickNodeComesBack) {
  begin();
  script_ends(1);
  EXPECT_EQ(job(1).state, JobState::Failed);
  EXPECT_EQ(reason_of(job(1), {}, yard->now), Reason::Cleaning);
  clean("n1");
  EXPECT_TRUE(kept("n1")) << "until the last epilog has told";
  yard->submit_and_start(request(1, false));
  EXPECT_EQ(job(2).state, JobState::Pending);
  clean("n2", "Epilog error");
  EXPECT_EQ(job(1).state, JobState::Pending);
  EXPECT_TRUE(kept("n1"));
}

TEST_F(ExpediteTest, AScriptThatFailedOnHealthyNodesHasFailed) {
  begin();
  script_ends(1);
  clean("n1");
  clean("n2");
  EXPECT_EQ(job(1).state, JobState::Failed);
  EXPECT_EQ(job(1).end_reason, Reason::NonZeroExitCode);
  EXPECT_FALSE(job(1).requeue_wanted);
  EXPECT_FALSE(kept("n1") || kept("n2"));
  yard->submit_and_start(request(2, false));
  EXPECT_EQ(job(2).state, JobState::Running);
}

TEST_F(ExpediteTest, WhatSucceededIsDoneWhateverTheEpilogSays) {
  begin();
  script_ends(0);
  clean("n1", "Epilog error");
  clean("n2");
  EXPECT_EQ(job(1).state, JobState::Completed);
  EXPECT_FALSE(kept("n1") || kept("n2"));
}

TEST_F(ExpediteTest, NodesAreFreeAgainWhenTheJobIsHeldOrCancelled) {
  for (JobVerb verb : {JobVerb::Hold, JobVerb::Cancel}) {
    begin();
    set_node("n2", "DOWN");
    clean("n1");
    ASSERT_TRUE(kept("n1"));
    alter(verb);
    EXPECT_FALSE(kept("n1"));
    yard->submit_and_start(request(1, false));
    EXPECT_EQ(job(2).state, JobState::Running);
  }
}

TEST_F(ExpediteTest, MustBeAllowedByTheSite) {
  ClusterConfig config = cluster();
  config.shown.clear();
  begin(config);
  set_node("n2", "DOWN");
  clean("n1");
  EXPECT_EQ(job(1).state, JobState::Pending) << "a plain requeue";
  EXPECT_FALSE(kept("n1"));
  yard->submit_and_start(request(1, false));
  EXPECT_EQ(job(2).state, JobState::Running);
}

}  // namespace
}  // namespace ym
