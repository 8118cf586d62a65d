// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/controller.h"
#include "schedule/planner.h"

namespace ym {
namespace {

using std::chrono::seconds;

ClusterConfig two_nodes() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.kill_wait = seconds(30);
  for (const char* name : {"n1", "n2"})
    config.nodes.push_back({.name = name, .cpus = 4, .memory_mb = 1000});
  config.partitions = {{.name = "main", .nodes = "n[1-2]", .is_default = true}};
  return config;
}

// A job on both nodes that runs from `now` on.
class LimitsTest : public testing::Test {
 protected:
  LimitsTest() : controller(two_nodes(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(two_nodes(), now, out));
    controller.begin_watch(now, out);
    hear_nodes();
    settle();
  }
  void hear_nodes() {
    for (const char* name : {"n1", "n2"}) {
      NodeReport report{.node = name, .complete = true};
      report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
      EXPECT_TRUE(controller.report(report, now, out));
    }
  }
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
    return taken;
  }
  void start(JobExtras extras, bool no_kill = false) {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    submit.spec.min_nodes = 2;
    submit.spec.time_limit_s = 600;
    submit.spec.no_kill = no_kill;
    submit.spec.extras = Ref(std::move(extras));
    controller.submit({1}, submit, {.uid = {1000}, .user_name = "ada"}, now, out);
    settle();
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
    ASSERT_EQ(job().state, JobState::Running);
  }
  void start_step(std::uint32_t limit_s) {
    controller.create_step({2}, {.job = {1}, .tasks = 2, .nodes = 2, .time_limit_s = limit_s},
                           {.uid = {1000}}, now, out);
    settle();
    ASSERT_EQ(job().steps->size(), 1u);
  }
  const Job& job() const { return *controller.state().find(JobId{1}); }
  std::vector<std::pair<NodeId, SignalJob>> signals_at(seconds after_start) {
    now = begin + after_start;
    controller.tick(now, out);
    std::vector<std::pair<NodeId, SignalJob>> found;
    for (const Order& order : settle().orders)
      if (const auto* signal = std::get_if<SignalJob>(&order.message))
        found.emplace_back(order.node, *signal);
    return found;
  }
  void update_limit(std::uint32_t limit_s) {
    AlterJobs request{.verb = JobVerb::Update, .patch = {.time_limit_s = limit_s}};
    request.filter.targets.push_back({.job = {1}});
    controller.alter({3}, request, {.administrator = true}, now, out);
    settle();
  }
  const Instant begin{1'000'000'000};
  Instant now = begin;
  Controller controller;
  Planner planner;
  Outbox out;
};

TEST_F(LimitsTest, AreAnnouncedOnceToAllSteps) {
  start({.signal = 10, .signal_before_s = 100});
  EXPECT_TRUE(signals_at(seconds(60)).empty());
  hear_nodes();
  auto sent = signals_at(seconds(500));
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].second.signal, 10);
  EXPECT_FALSE(sent[0].second.batch_only);
  EXPECT_FALSE(sent[0].second.whole_job);
  EXPECT_TRUE(signals_at(seconds(501)).empty());
}

TEST_F(LimitsTest, AreAnnouncedToTheBatchShellOnlyIfThatWasAskedFor) {
  start({.signal = 10, .signal_before_s = 600, .signal_batch_only = true});
  auto sent = signals_at(seconds(1));
  ASSERT_EQ(sent.size(), 1u) << "due at once, on the first node";
  EXPECT_TRUE(sent[0].second.batch_only);
}

TEST_F(LimitsTest, ThatChangeAreAnnouncedAgain) {
  start({.signal = 10, .signal_before_s = 590});
  EXPECT_EQ(signals_at(seconds(20)).size(), 2u);
  update_limit(660);
  EXPECT_TRUE(signals_at(seconds(60)).empty());
  EXPECT_EQ(signals_at(seconds(70)).size(), 2u);
}

TEST_F(LimitsTest, MayBeExceededByWhatThePartitionOrElseTheClusterAllows) {
  auto state_at = [&](seconds after_start) {
    signals_at(after_start);
    return job().state;
  };
  start({});
  update_limit(60);
  ClusterConfig config = two_nodes();
  config.over_time_limit = std::chrono::minutes(2);
  ASSERT_TRUE(controller.configure(config, now, out));
  EXPECT_EQ(state_at(seconds(179)), JobState::Running) << "a minute, and two by the cluster";
  config.partitions[0].over_time_limit_min = 0xffffffff;
  ASSERT_TRUE(controller.configure(config, now, out));
  hear_nodes();
  EXPECT_EQ(state_at(seconds(200)), JobState::Running) << "for ever";
  config.partitions[0].over_time_limit_min = 3;
  ASSERT_TRUE(controller.configure(config, now, out));
  EXPECT_EQ(state_at(seconds(239)), JobState::Running);
  hear_nodes();
  EXPECT_EQ(state_at(seconds(240)), JobState::Timeout);
}

TEST_F(LimitsTest, OfAStepEndItWithSigtermThenSigkill) {
  start({});
  start_step(60);
  EXPECT_TRUE(signals_at(seconds(59)).empty());
  auto first = signals_at(seconds(60));
  ASSERT_EQ(first.size(), 4u) << "two signals to two nodes";
  EXPECT_EQ(first[2].second.signal, 15);
  EXPECT_EQ(first[2].second.cause, KillCause::TimeLimit);
  EXPECT_EQ(first[2].second.step, StepId{0});
  EXPECT_TRUE(signals_at(seconds(80)).empty());
  auto second = signals_at(seconds(90));
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0].second.signal, 9);
  EXPECT_EQ(job().state, JobState::Running);
}

TEST_F(LimitsTest, OfAStepDoNotCountWhileTheJobIsSuspended) {
  start({});
  start_step(60);
  auto tell = [&](JobVerb verb) {
    AlterJobs alter{.verb = verb};
    alter.filter.targets.push_back({.job = {1}});
    controller.alter({6}, alter, {.administrator = true}, now, out);
    settle();
  };
  auto terms = [&](seconds at) {
    auto signals = signals_at(at);
    return std::ranges::count_if(signals, [](const auto& one) { return one.second.signal == 15; });
  };
  EXPECT_TRUE(signals_at(seconds(30)).empty());
  tell(JobVerb::Suspend);
  EXPECT_EQ(terms(seconds(90)), 0);
  tell(JobVerb::Resume);
  EXPECT_EQ(terms(seconds(119)), 0);
  EXPECT_EQ(terms(seconds(120)), 2);
}

TEST_F(LimitsTest, AClockThatIsSetSilencesNoNodeAndHidesNone) {
  for (auto jump : {std::chrono::hours(1), std::chrono::hours(-1)}) {
    now = now + jump;
    controller.clock_moved(jump);
    controller.tick(now, out);
    EXPECT_TRUE(settle().events.empty()) << jump.count();
  }
  now = now + two_nodes().slurmd_timeout;
  controller.tick(now, out);
  EXPECT_EQ(controller.state().nodes.at(1).condition, NodeCondition::Down);
}

TEST_F(LimitsTest, ALostNodeEndsAStepThatWasNotToldToGoOn) {
  start({}, true);
  start_step(0);
  controller.update_nodes({4}, {.nodes = "n2", .state = "DOWN", .reason = "x", .features = {}},
                          {.administrator = true}, now, out);
  Outbox taken = settle();
  EXPECT_EQ(job().state, JobState::Running);
  ASSERT_EQ(job().steps->size(), 1u);
  EXPECT_EQ(job().steps->front().nodes_left.size(), 1u);
  bool told = std::ranges::any_of(taken.orders, [](const Order& order) {
    const auto* signal = std::get_if<SignalJob>(&order.message);
    return signal && signal->signal == 9 && signal->cause == KillCause::NodeFailure;
  });
  EXPECT_TRUE(told) << "its other node ends it";
}

TEST_F(LimitsTest, UsageOfACancelledJobsStepArrivesWithItsNodesReport) {
  start({});
  start_step(0);
  AlterJobs cancel{.verb = JobVerb::Cancel};
  cancel.filter.targets.push_back({.job = {1}});
  controller.alter({5}, cancel, {.uid = {1000}}, now, out);
  settle();
  Sluid sluid = job().sluid;
  StepUsage usage;
  std::vector<StepEnded> ends;
  for (const char* name : {"n1", "n2"}) {
    usage = {};
    add_task(usage, {.rank = 0, .usage = {.user_ms = 500}}, name);
    NodeReport report{.node = name};
    report.attempts = {{.job = {1}, .sluid = sluid, .phase = AttemptPhase::Clean}};
    if (std::string_view(name) == "n1") {
      report.attempts[0].batch = report.attempts[0].batch_ended = true;
      report.attempts[0].usage = usage;
    }
    report.ended_steps = {{.job = {1}, .sluid = sluid, .step = {0}, .usage = usage}};
    EXPECT_TRUE(controller.report(report, now, out));
    for (const Event& event : settle().events)
      if (const auto* end = std::get_if<StepEnded>(&event.body)) ends.push_back(*end);
  }
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].step, kBatchStep);
  EXPECT_EQ(ends[1].step, StepId{0});
  EXPECT_EQ(ends[1].usage.total.user_ms, 1000u) << "both nodes'";
  EXPECT_FALSE(job().completing());
}

}  // namespace
}  // namespace ym
