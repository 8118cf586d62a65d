// SPDX-License-Identifier: Apache-2.0
#include "controller/controller.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/prng.h"
#include "controller/indexes.h"
#include "controller/outbox.h"
#include "model/apply.h"
#include "model/errc.h"
#include "schedule/planner.h"

namespace ym {
namespace {

Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }
Caller bob() { return {.uid = {1001}, .gid = {1001}, .user_name = "bob"}; }
Caller root() { return {.user_name = "root", .administrator = true}; }

ClusterConfig small_cluster() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.max_array_size = 100;
  config.min_job_age = std::chrono::seconds(10);
  for (int i = 1; i <= 4; ++i)
    config.nodes.push_back({.name = fmt::format("n{}", i), .cpus = 4, .memory_mb = 1000});
  PartitionSpec main{.name = "main", .nodes = "n[1-4]", .is_default = true};
  PartitionSpec closed{.name = "closed", .nodes = "n1", .state = PartitionState::Inactive};
  PartitionSpec admins{.name = "admins", .nodes = "n1", .root_only = true};
  PartitionSpec group{.name = "group", .nodes = "n1", .allow_groups = "physics"};
  config.partitions = {main, closed, admins, group};
  return config;
}

SubmitJob batch() {
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.name = "j";
  submit.spec.time_limit_s = 60;
  return submit;
}

class ControllerTest : public testing::Test {
 protected:
  ControllerTest() : controller(small_cluster(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(small_cluster(), now, out));
    controller.begin_watch(now, out);
    for (int i = 1; i <= 4; ++i) connect(fmt::format("n{}", i));
    settle();
  }
  void connect(const std::string& node) {
    NodeReport report{.node = node, .complete = true};
    report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
    EXPECT_TRUE(controller.report(report, now, out));
  }
  // Takes the outbox; the planner and a second state follow the log.
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) {
      apply(replayed, event);
      planner.observe(event, controller.state());
    }
    return taken;
  }
  Answer ask_submit(const SubmitJob& submit, const Caller& caller = ada()) {
    controller.submit({1}, submit, caller, now, out);
    return settle().replies.back().answer;
  }
  std::string refusal(const SubmitJob& submit, const Caller& caller = ada()) {
    Answer answer = ask_submit(submit, caller);
    const auto* failure = std::get_if<Failure>(&answer);
    return failure ? failure->text : "";
  }
  JobOutcome alter(JobVerb verb, JobId job, const Caller& caller = ada()) {
    AlterJobs request{.verb = verb};
    request.filter.targets.push_back({.job = job});
    controller.alter({1}, request, caller, now, out);
    return std::get<AlterAnswer>(settle().replies.back().answer).outcomes.front();
  }
  Outbox schedule() {
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    return settle();
  }
  Instant now{1'000'000'000};
  Controller controller;
  Planner planner;
  State replayed;
  Outbox out;
};

TEST_F(ControllerTest, RefusesWhatCannotBeWithSlurmsTexts) {
  struct Row {
    void (*change)(SubmitJob&);
    Errc code;
  };
  const Row rows[] = {
      {[](SubmitJob& s) { s.spec.partitions = "nowhere"; }, Errc::InvalidPartition},
      {[](SubmitJob& s) { s.spec.partitions = "closed"; }, Errc::PartitionUnavailable},
      {[](SubmitJob& s) { s.spec.partitions = "admins"; }, Errc::JobMissingRequiredPartitionGroup},
      {[](SubmitJob& s) { s.spec.partitions = "group"; }, Errc::JobMissingRequiredPartitionGroup},
      {[](SubmitJob& s) { s.spec.cpus_per_task = 5; }, Errc::RequestedNodeConfigUnavailable},
      {[](SubmitJob& s) {
         s.spec.tasks = 4;
         s.spec.tasks_per_node = 5;
       },
       Errc::RequestedNodeConfigUnavailable},
      {[](SubmitJob& s) { s.spec.extras = Ref(JobExtras{.excluded_nodes = "n[1-4]"}); },
       Errc::RequestedNodeConfigUnavailable},
      {[](SubmitJob& s) {
         s.spec.min_nodes = s.spec.tasks = 4;
         s.spec.extras = Ref(JobExtras{.excluded_nodes = "n1"});
       },
       Errc::RequestedNodeConfigUnavailable},
      {[](SubmitJob& s) {
         s.spec.extras = Ref(JobExtras{.required_nodes = "n1", .excluded_nodes = "n[1-2]"});
       },
       Errc::InvalidNodeName},
      {[](SubmitJob& s) { s.spec.nice = -1; }, Errc::InvalidNice},
      {[](SubmitJob& s) { s.spec.time_min_s = 61; }, Errc::InvalidTimeMin},
      {[](SubmitJob& s) { s.spec.extras = Ref(JobExtras{.features = "gpu"}); },
       Errc::InvalidFeature},
      {[](SubmitJob& s) { s.spec.script_blob.clear(); }, Errc::JobScriptMissing},
      {[](SubmitJob& s) { s.array = "0-100"; }, Errc::BadJobArray},
      {[](SubmitJob& s) { s.array = "x"; }, Errc::BadJobArray},
      {[](SubmitJob& s) { s.dependency = "afterwards:1"; }, Errc::DependencyInvalid},
      {[](SubmitJob& s) { s.spec.extras = Ref(JobExtras{.required_nodes = "n9"}); },
       Errc::InvalidNodeName},
  };
  for (const Row& row : rows) {
    SubmitJob submit = batch();
    row.change(submit);
    std::string text = refusal(submit);
    EXPECT_TRUE(text.starts_with(text_of(row.code))) << text << " for " << text_of(row.code);
  }
  EXPECT_TRUE(controller.state().jobs.empty());
}

TEST_F(ControllerTest, AGroupOfThePartitionLetsIn) {
  SubmitJob submit = batch();
  submit.spec.partitions = "group";
  Caller physicist = ada();
  physicist.groups = {"physics"};
  EXPECT_EQ(refusal(submit, physicist), "");
}

TEST_F(ControllerTest, NobodyActsForSomebodyElse) {
  ask_submit(batch());
  EXPECT_EQ(alter(JobVerb::Cancel, {1}, bob()).text, text_of(Errc::AccessDenied));
  EXPECT_EQ(alter(JobVerb::Hold, {1}, root()).code, 0u);
  EXPECT_EQ(alter(JobVerb::Release, {1}, ada()).text, text_of(Errc::AccessDenied));
  EXPECT_EQ(alter(JobVerb::Cancel, {1}, ada()).code, 0u);
  EXPECT_EQ(alter(JobVerb::Cancel, {1}, ada()).text, text_of(Errc::AlreadyDone));
  EXPECT_EQ(alter(JobVerb::Cancel, {9}, ada()).text, text_of(Errc::InvalidJobId));
}

TEST_F(ControllerTest, AStartOrdersTheLaunchAndAReportTwiceChangesNothingTheSecondTime) {
  ask_submit(batch());
  Outbox started = schedule();
  ASSERT_EQ(started.orders.size(), 1u);
  const auto& launch = std::get<LaunchJob>(started.orders[0].message);
  NodeReport report{.node = "n1"};
  report.attempts.push_back({.job = {1}, .sluid = launch.sluid, .batch = true});
  EXPECT_TRUE(controller.report(report, now, out));
  EXPECT_EQ(settle().events.size(), 1u);
  EXPECT_TRUE(controller.report(report, now, out));
  EXPECT_TRUE(settle().empty());
}

TEST_F(ControllerTest, AStalePlanIsDropped) {
  ask_submit(batch());
  Plan plan = planner.plan(controller.state(), now, {});
  ASSERT_EQ(plan.starts.size(), 1u);
  AlterJobs update{.verb = JobVerb::Update};
  update.filter.targets.push_back({.job = {1}});
  update.patch.min_nodes = 2;
  update.patch.tasks = 2;
  controller.alter({1}, update, ada(), now, out);
  EXPECT_EQ(controller.commit(plan, now, out), 0u) << "the request is another one now";
  settle();
  plan = planner.plan(controller.state(), now, {});
  EXPECT_EQ(controller.commit(plan, now, out), 1u);
  EXPECT_EQ(controller.commit(plan, now, out), 0u) << "it runs already";
}

TEST_F(ControllerTest, AStalePlanDoesNotPassTheLimitOfAnArray) {
  SubmitJob submit = batch();
  submit.array = "0-7%2";
  ask_submit(submit);
  Plan first = planner.plan(controller.state(), now, {});
  Plan second = first;
  for (Proposal& start : second.starts) start.array_task += 2;
  EXPECT_EQ(controller.commit(first, now, out), 2u);
  EXPECT_EQ(controller.commit(second, now, out), 0u);
}

TEST_F(ControllerTest, ANodeSetDownIsToldToKillWhatRunsThere) {
  ask_submit(batch());
  schedule();
  controller.update_nodes({1}, {.nodes = "n1", .state = "DOWN", .reason = "fan"}, root(), now, out);
  Outbox taken = settle();
  bool killed = false;
  for (const Order& order : taken.orders)
    killed = killed || std::holds_alternative<KillJob>(order.message);
  EXPECT_TRUE(killed);
  EXPECT_EQ(controller.state().find(JobId{1})->state, JobState::Pending);
}

TEST_F(ControllerTest, AnUnconfirmedLaunchIsNotRepeatedAfterAReboot) {
  ask_submit(batch());
  schedule();
  Sluid first = controller.state().find(JobId{1})->sluid;
  NodeReport report{.node = "n1", .complete = true};
  report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {99}};
  EXPECT_TRUE(controller.report(report, now, out));
  for (const Order& order : settle().orders)
    EXPECT_FALSE(std::holds_alternative<LaunchJob>(order.message));
  EXPECT_NE(controller.state().find(JobId{1})->sluid, first) << "a new attempt";
}

// The time of boot is the clock less the uptime: it moves when the clock is set.
TEST_F(ControllerTest, TheBootsIdTellsARebootAndNotTheClock) {
  auto registers = [&](const char* boot, std::int64_t time) {
    NodeReport report{.node = "n1", .complete = true};
    report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {time}, .boot_id = boot};
    EXPECT_TRUE(controller.report(report, now, out));
  };
  registers("first", 1);
  ask_submit(batch());
  schedule();
  Sluid attempt = controller.state().find(JobId{1})->sluid;
  registers("first", 99);
  EXPECT_EQ(controller.state().find(JobId{1})->sluid, attempt);
  EXPECT_EQ(controller.state().find(JobId{1})->state, JobState::Running);
  registers("second", 99);
  settle();
  EXPECT_NE(controller.state().find(JobId{1})->sluid, attempt) << "a new attempt";
}

TEST_F(ControllerTest, AConfigurationThatDropsABusyNodeChangesNothing) {
  ask_submit(batch());
  schedule();
  ClusterConfig fewer = small_cluster();
  fewer.nodes.erase(fewer.nodes.begin());
  EXPECT_FALSE(controller.configure(fewer, now, out));
  EXPECT_TRUE(out.empty());
}

// One random command, report or passing of time.
void do_something(Prng& prng, Controller& controller, Planner& planner, Instant& now, Outbox& out) {
  now = now + std::chrono::milliseconds(prng.below(3000));
  JobId job{static_cast<std::uint32_t>(prng.between(1, controller.state().next_job_id))};
  AlterJobs alter;
  alter.filter.targets.push_back({.job = job});
  switch (prng.below(8)) {
    case 0:
    case 1: {
      SubmitJob submit = batch();
      submit.spec.batch = prng.chance(4, 5);
      submit.spec.name = fmt::format("j{}", prng.below(3));
      submit.spec.tasks = static_cast<std::uint32_t>(prng.between(1, 8));
      if (prng.chance(1, 3)) submit.array = "0-5%2";
      if (prng.chance(1, 4)) submit.dependency = fmt::format("afterany:{}", job.value);
      if (prng.chance(1, 8)) submit.dependency = "singleton";
      if (prng.chance(1, 8)) submit.dependency = fmt::format("after:{}+1", job.value);
      return controller.submit({1}, submit, ada(), now, out);
    }
    case 2:
      static_cast<void>(controller.commit(planner.plan(controller.state(), now, {}), now, out));
      return;
    case 3: {
      static constexpr JobVerb kVerbs[] = {JobVerb::Cancel, JobVerb::Hold, JobVerb::Release,
                                           JobVerb::Requeue, JobVerb::Update};
      alter.verb = kVerbs[prng.below(5)];
      alter.patch.name = fmt::format("j{}", prng.below(3));
      alter.patch.time_limit_s = static_cast<std::uint32_t>(prng.between(1, 100));
      return controller.alter({1}, alter, root(), now, out);
    }
    case 4:
      alter.verb = JobVerb::Cancel;
      alter.filter.targets[0].tasks = IndexSet::range(1, 2);
      return controller.alter({1}, alter, root(), now, out);
    case 5: return controller.tick(now, out);
    case 6: {
      static constexpr const char* kStates[] = {"DOWN", "RESUME", "DRAIN", "RESUME"};
      return controller.update_nodes({1},
                                     {.nodes = fmt::format("n{}", prng.between(1, 4)),
                                      .state = kStates[prng.below(4)],
                                      .reason = "r"},
                                     root(), now, out);
    }
    default: {
      const Job* found = controller.state().find(job);
      if (!found || found->allocation->nodes.empty()) return;
      for (const NodeShare& share : found->allocation->nodes) {
        NodeReport report{.node = controller.state().find(share.node)->spec->name};
        report.attempts.push_back({.job = job,
                                   .sluid = found->sluid,
                                   .phase = AttemptPhase::Clean,
                                   .batch = share == found->allocation->nodes.front(),
                                   .batch_ended = share == found->allocation->nodes.front()});
        static_cast<void>(controller.report(report, now, out));
        found = controller.state().find(job);
        if (!found || found->allocation->nodes.empty()) return;
      }
    }
  }
}

TEST_F(ControllerTest, IndexesKeptInStepAreThoseMadeAnewAndTheLogReplays) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Prng prng(seed);
    for (int i = 0; i < 300; ++i) {
      do_something(prng, controller, planner, now, out);
      settle();
      Indexes anew;
      anew.rebuild(controller.state());
      ASSERT_TRUE(anew == controller.indexes()) << "seed " << seed << " step " << i;
    }
    ASSERT_EQ(replayed.jobs.size(), controller.state().jobs.size());
    controller.state().jobs.for_each(
        [&](std::uint64_t id, const Job& job) { EXPECT_EQ(replayed.jobs.at(id), job) << id; });
    controller.state().nodes.for_each(
        [&](std::uint64_t id, const Node& node) { EXPECT_EQ(replayed.nodes.at(id), node) << id; });
  }
}

TEST_F(ControllerTest, ASuspendedJobKeepsItsMemoryButNotItsCpusAndItsTimeStandsStill) {
  SubmitJob submit = batch();
  submit.spec.tasks = 4;
  JobId job = std::get<SubmitAnswer>(ask_submit(submit)).job;
  schedule();
  const Job& record = controller.state().jobs.at(job.value);
  NodeId node = record.allocation->nodes.front().node;
  auto used = [&] { return controller.state().nodes.at(node.value).cpus_used; };
  Instant limit = record.limit_end;
  EXPECT_EQ(alter(JobVerb::Suspend, job).code, static_cast<std::uint32_t>(Errc::AccessDenied));
  EXPECT_EQ(alter(JobVerb::Resume, job, root()).code,
            static_cast<std::uint32_t>(Errc::JobNotSuspended));
  EXPECT_EQ(used(), 4u);
  EXPECT_EQ(alter(JobVerb::Suspend, job, root()).code, 0u);
  EXPECT_EQ(used(), 0u);
  now = now + std::chrono::seconds(100);  // beyond its limit
  controller.tick(now, out);
  settle();
  EXPECT_EQ(controller.state().find(job)->state, JobState::Suspended);
  EXPECT_EQ(alter(JobVerb::Resume, job, root()).code, 0u);
  EXPECT_EQ(used(), 4u);
  EXPECT_EQ(controller.state().find(job)->limit_end, limit + std::chrono::seconds(100));
  // Cancelled while suspended: its cpus are its own until the node is clean.
  alter(JobVerb::Suspend, job, root());
  EXPECT_EQ(alter(JobVerb::Cancel, job).code, 0u);
  EXPECT_EQ(used(), 4u);
  EXPECT_EQ(replayed.nodes.at(node.value), controller.state().nodes.at(node.value));
}

TEST_F(ControllerTest, AJobIsToldBeforeItIsFrozenAndWhenItGoesOn) {
  JobId job = std::get<SubmitAnswer>(ask_submit(batch())).job;
  schedule();
  // "20" for a signal, "freeze", "thaw".
  auto orders = [&] {
    std::string text;
    for (const Order& order : settle().orders) {
      if (const auto* signal = std::get_if<SignalJob>(&order.message))
        text += std::to_string(signal->signal) + " ";
      if (const auto* one = std::get_if<SuspendJob>(&order.message))
        text += one->suspend ? "freeze " : "thaw ";
    }
    return text;
  };
  settle();
  AlterJobs wish{.verb = JobVerb::Suspend};
  wish.filter.targets = {{.job = job}};
  controller.alter({1}, wish, root(), now, out);
  EXPECT_EQ(orders(), "20 ");
  now = now + std::chrono::seconds(1);
  controller.tick(now, out);
  EXPECT_EQ(orders(), "");
  now = now + std::chrono::seconds(1);
  controller.tick(now, out);
  EXPECT_EQ(orders().substr(0, 7), "freeze ");
  wish.verb = JobVerb::Resume;
  controller.alter({1}, wish, root(), now, out);
  EXPECT_EQ(orders(), "thaw 18 ");
}

TEST_F(ControllerTest, ANodeThatDisagreesAboutASuspensionIsToldAgain) {
  JobId job = std::get<SubmitAnswer>(ask_submit(batch())).job;
  schedule();
  alter(JobVerb::Suspend, job, root());
  const Job& record = *controller.state().find(job);
  std::string name =
      controller.state().nodes.at(record.allocation->nodes.front().node.value).spec->name;
  AttemptReport attempt{.job = job, .sluid = record.sluid, .batch = true};
  auto told = [&](bool suspended) -> std::optional<bool> {
    attempt.suspended = suspended;
    EXPECT_TRUE(controller.report({.node = name, .attempts = {attempt}}, now, out));
    for (const Order& order : settle().orders)
      if (const auto* one = std::get_if<SuspendJob>(&order.message)) return one->suspend;
    return std::nullopt;
  };
  EXPECT_EQ(told(false), std::nullopt) << "it has a moment to get ready: suspend_grace_time";
  now = now + std::chrono::seconds(2);
  controller.tick(now, out);
  settle();
  EXPECT_EQ(told(false), true);
  EXPECT_EQ(told(true), std::nullopt);
  alter(JobVerb::Resume, job, root());
  EXPECT_EQ(told(true), false);
  EXPECT_EQ(told(false), std::nullopt);
}

}  // namespace
}  // namespace ym
