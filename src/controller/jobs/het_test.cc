// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/outbox.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "model/apply.h"
#include "model/errc.h"
#include "schedule/planner.h"

namespace ym {
namespace {

Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }

ClusterConfig cluster() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.min_job_age = std::chrono::seconds(10);
  for (int i = 1; i <= 4; ++i)
    config.nodes.push_back({.name = fmt::format("n{}", i), .cpus = 4, .memory_mb = 1000});
  config.partitions = {{.name = "main", .nodes = "n[1-4]", .is_default = true}};
  return config;
}

JobSpec wide(std::uint32_t nodes) {
  JobSpec spec;
  spec.name = "j";
  spec.time_limit_s = 60;
  spec.min_nodes = spec.tasks = nodes;
  spec.exclusive = true;
  return spec;
}

// A batch job with components of so many whole nodes.
SubmitJob het(const std::vector<std::uint32_t>& nodes) {
  SubmitJob submit;
  submit.spec = wide(nodes.front());
  for (std::size_t i = 1; i < nodes.size(); ++i) submit.het.push_back(wide(nodes[i]));
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  return submit;
}

class HetTest : public testing::Test {
 protected:
  HetTest() : controller(cluster(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(cluster(), now, out));
    controller.begin_watch(now, out);
    for (int i = 1; i <= 4; ++i) connect(fmt::format("n{}", i));
    settle();
  }
  void connect(const std::string& node) {
    NodeReport report{.node = node, .complete = true};
    report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
    EXPECT_TRUE(controller.report(report, now, out));
  }
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) {
      apply(replayed, event);
      planner.observe(event, controller.state());
    }
    return taken;
  }
  Answer submit(const SubmitJob& request) {
    controller.submit({1}, request, ada(), now, out);
    return settle().replies.back().answer;
  }
  // What is said of each outcome; empty texts for those that went well.
  std::vector<std::string> alter(JobVerb verb, const JobTarget& target) {
    AlterJobs request{.verb = verb};
    request.filter.targets.push_back(target);
    controller.alter({1}, request, {.user_name = "root", .administrator = true}, now, out);
    std::vector<std::string> texts;
    for (const JobOutcome& one : std::get<AlterAnswer>(settle().replies.back().answer).outcomes)
      texts.push_back(one.text);
    return texts;
  }
  Outbox schedule() {
    plan = planner.plan(controller.state(), now, {});
    controller.commit(plan, now, out);
    return settle();
  }
  const Job& job(std::uint32_t id) { return controller.state().jobs.at(id); }
  std::string states() {
    std::string text;
    controller.state().jobs.for_each([&](std::uint64_t, const Job& one) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", display_id(one),
                          short_name_of(one.state));
    });
    return text;
  }
  // Every node says that nothing is left of any attempt.
  void clean() {
    for (int i = 1; i <= 4; ++i) connect(fmt::format("n{}", i));
    settle();
  }

  Instant now{1'000'000'000};
  Controller controller;
  Planner planner;
  State replayed;
  Plan plan;
  Outbox out;
};

TEST_F(HetTest, ComponentsAreJobsWithIdsThatFollowEachOther) {
  auto answer = std::get<SubmitAnswer>(submit(het({1, 2, 1})));
  EXPECT_EQ(answer.job, JobId{1});
  EXPECT_EQ(answer.components, 3u);
  EXPECT_EQ(states(), "1+0:PD 1+1:PD 1+2:PD");
  EXPECT_EQ(job(3).het_job, JobId{1});
  EXPECT_EQ(job(3).het_count, 3u);
  EXPECT_EQ(job(1).priority, job(3).priority);
}

TEST_F(HetTest, AllAreAdmittedOrNone) {
  SubmitJob request = het({1, 1});
  request.het[0].partitions = "nowhere";
  EXPECT_EQ(std::get<Failure>(submit(request)).text, text_of(Errc::InvalidPartition));
  EXPECT_TRUE(controller.state().jobs.empty());
  request = het({1, 1});
  request.array = "1-2";
  EXPECT_EQ(std::get<Failure>(submit(request)).text, text_of(Errc::BadJobArray));
  EXPECT_TRUE(controller.state().jobs.empty());
}

TEST_F(HetTest, AllStartTogetherOrNone) {
  submit(het({2}));     // 1: leaves two nodes
  submit(het({1, 2}));  // 2+0 would fit, 2+1 would not beside it
  schedule();
  EXPECT_EQ(states(), "1:R 2+0:PD 2+1:PD");
  EXPECT_EQ(reason_of(job(2), plan.verdicts, now), Reason::Resources);
  EXPECT_EQ(reason_of(job(3), plan.verdicts, now), Reason::Resources);
  JobRow row = job_row(controller.state(), job(3), plan.verdicts, now);
  EXPECT_EQ(row.expected_start, now + std::chrono::seconds(60));
  alter(JobVerb::Cancel, {.job = {1}});
  clean();
  schedule();
  EXPECT_EQ(states(), "1:CA 2+0:R 2+1:R");
}

TEST_F(HetTest, ABlockedOneKeepsItsNodesFromThoseBehindIt) {
  submit(het({2}));
  submit(het({1, 2}));
  SubmitJob later = het({2});
  later.spec.time_limit_s = 3600;
  submit(later);
  schedule();
  EXPECT_EQ(states(), "1:R 2+0:PD 2+1:PD 4:PD");
}

TEST_F(HetTest, ComponentsMayShareANode) {
  SubmitJob request = het({4, 1});
  request.spec.exclusive = request.het[0].exclusive = false;
  submit(request);
  schedule();
  EXPECT_EQ(states(), "1+0:R 1+1:R");
}

TEST_F(HetTest, OneThatIsHeldHoldsAll) {
  submit(het({1, 1}));
  EXPECT_EQ(alter(JobVerb::HoldUser, {.job = {1}, .component = 1}), std::vector<std::string>{""});
  EXPECT_FALSE(job(1).held());
  EXPECT_TRUE(job(2).held());
  schedule();
  EXPECT_EQ(states(), "1+0:PD 1+1:PD");
  alter(JobVerb::HoldUser, {.job = {1}});
  EXPECT_TRUE(job(1).held());
  alter(JobVerb::Release, {.job = {1}});
  schedule();
  EXPECT_EQ(states(), "1+0:R 1+1:R");
}

TEST_F(HetTest, APlanIsRefusedAsAWhole) {
  submit(het({1, 1}));
  Plan stale = planner.plan(controller.state(), now, {});
  ASSERT_EQ(stale.starts.size(), 1u);
  ASSERT_EQ(stale.starts[0].others.size(), 1u);
  alter(JobVerb::HoldUser, {.job = {1}, .component = 1});
  EXPECT_EQ(controller.commit(stale, now, out), 0u);
  EXPECT_TRUE(out.events.empty());
  EXPECT_EQ(states(), "1+0:PD 1+1:PD");
  // Nor does a plan that forgets a component start the others.
  alter(JobVerb::Release, {.job = {1}});
  stale.starts[0].others.clear();
  EXPECT_EQ(controller.commit(stale, now, out), 0u);
  // Nor one that gives the same node twice.
  Plan twice = planner.plan(controller.state(), now, {});
  twice.starts[0].others[0].allocation = twice.starts[0].allocation;
  EXPECT_EQ(controller.commit(twice, now, out), 0u);
  EXPECT_EQ(states(), "1+0:PD 1+1:PD");
}

TEST_F(HetTest, OfAPendingOneNoComponentIsCancelledAlone) {
  submit(het({1, 1}));
  EXPECT_EQ(alter(JobVerb::Cancel, {.job = {1}, .component = 1}),
            std::vector<std::string>{std::string(text_of(Errc::NotWholeHetJob))});
  EXPECT_EQ(alter(JobVerb::Cancel, {.job = {2}}),
            std::vector<std::string>{std::string(text_of(Errc::NotWholeHetJob))});
  EXPECT_EQ(alter(JobVerb::Cancel, {.job = {1}, .component = 7}),
            std::vector<std::string>{std::string(text_of(Errc::InvalidJobId))});
  EXPECT_EQ(alter(JobVerb::Cancel, {.job = {1}}), std::vector<std::string>{""});
  EXPECT_EQ(states(), "1+0:CA 1+1:CA");
}

TEST_F(HetTest, OfARunningOneAComponentIsAndTheFirstTakesAllAlong) {
  submit(het({1, 1, 1}));
  schedule();
  alter(JobVerb::Cancel, {.job = {1}, .component = 1});
  EXPECT_EQ(states(), "1+0:R 1+1:CA 1+2:R");
  alter(JobVerb::Cancel, {.job = {1}, .component = 0});
  EXPECT_EQ(states(), "1+0:CA 1+1:CA 1+2:CA");
}

TEST_F(HetTest, WhenTheScriptEndsAllEndLikeIt) {
  submit(het({1, 1}));
  schedule();
  NodeReport report{.node = "n1"};
  report.attempts.push_back(
      {.job = {1}, .sluid = job(1).sluid, .batch = true, .batch_ended = true, .exit = {.code = 3}});
  EXPECT_TRUE(controller.report(report, now, out));
  settle();
  EXPECT_EQ(states(), "1+0:F 1+1:F");
  EXPECT_EQ(job(2).exit.code, 3);
}

TEST_F(HetTest, AComponentMayRunOutOfTimeBeforeTheOthers) {
  SubmitJob request = het({1, 1});
  request.het[0].time_limit_s = 30;
  submit(request);
  schedule();
  now = now + std::chrono::seconds(31);
  clean();
  controller.tick(now, out);
  settle();
  EXPECT_EQ(states(), "1+0:R 1+1:TO");
  now = now + std::chrono::seconds(31);
  clean();
  controller.tick(now, out);
  settle();
  EXPECT_EQ(states(), "1+0:TO 1+1:TO");
}

TEST_F(HetTest, AComponentIsRememberedAsLongAsTheFirst) {
  submit(het({1, 1}));
  schedule();
  alter(JobVerb::Cancel, {.job = {1}, .component = 1});
  clean();
  auto pass = [&](int seconds) {
    now = now + std::chrono::seconds(seconds);
    clean();
    controller.tick(now, out);
    settle();
  };
  pass(20);  // longer than MinJobAge
  EXPECT_EQ(states(), "1+0:R 1+1:CA");
  alter(JobVerb::Cancel, {.job = {1}});
  clean();
  pass(5);
  EXPECT_EQ(states(), "1+0:CA 1+1:CA");
  pass(6);
  pass(1);
  EXPECT_EQ(states(), "");
}

TEST_F(HetTest, OnlyTheFirstGetsTheScript) {
  submit(het({1, 2}));
  Outbox told = schedule();
  std::vector<LaunchJob> launches;
  for (const Order& order : told.orders)
    if (const auto* launch = std::get_if<LaunchJob>(&order.message)) launches.push_back(*launch);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].job, JobId{1});
  ASSERT_EQ(launches[0].components.size(), 2u);
  EXPECT_EQ(launches[0].components[1].job, JobId{2});
  EXPECT_EQ(launches[0].components[1].cpus.size(), 2u);
}

TEST_F(HetTest, TheyGoBackToTheQueueTogetherAlsoOneThatHadEnded) {
  submit(het({1, 1, 1}));
  schedule();
  alter(JobVerb::Cancel, {.job = {1}, .component = 2});
  clean();
  EXPECT_EQ(alter(JobVerb::Requeue, {.job = {1}, .component = 1}),
            std::vector<std::string>{std::string(text_of(Errc::NotHetLeader))});
  EXPECT_EQ(alter(JobVerb::Requeue, {.job = {1}}), std::vector<std::string>{""});
  clean();
  EXPECT_EQ(states(), "1+0:PD 1+1:PD 1+2:PD");
  schedule();
  EXPECT_EQ(states(), "1+0:R 1+1:R 1+2:R");
}

TEST_F(HetTest, ALostNodeSendsAllBack) {
  submit(het({1, 1}));
  schedule();
  NodeId lost = job(2).allocation->nodes.front().node;
  UpdateNodes down{.nodes = fmt::format("n{}", lost.value), .state = "DOWN", .reason = "test"};
  controller.update_nodes({1}, down, {.user_name = "root", .administrator = true}, now, out);
  settle();
  EXPECT_TRUE(job(1).requeue_wanted);
  clean();
  EXPECT_EQ(states(), "1+0:PD 1+1:PD");
}

TEST_F(HetTest, WhoWaitsForItWaitsForAllComponents) {
  submit(het({1, 1}));
  SubmitJob after = het({1});
  after.dependency = "afterok:1";
  submit(after);
  schedule();
  EXPECT_FALSE(job(3).dependency->empty());
  alter(JobVerb::Cancel, {.job = {1}, .component = 1});
  EXPECT_TRUE(job(3).dependency_failed);
}

TEST_F(HetTest, SingletonDoesNotWaitForItsOwnComponents) {
  SubmitJob request = het({1, 1});
  request.dependency = "singleton";
  submit(request);
  schedule();
  EXPECT_EQ(states(), "1+0:R 1+1:R");
}

TEST_F(HetTest, ATestTellsWhenAllCouldStart) {
  submit(het({2}));
  schedule();
  SubmitJob request = het({1, 2});
  request.test_only = true;
  auto answer = std::get<SubmitAnswer>(submit(request));
  EXPECT_EQ(answer.expected_start, now + std::chrono::seconds(60));
  EXPECT_EQ(answer.cpus, 12u);
  request = het({1, 1});
  request.test_only = true;
  EXPECT_EQ(std::get<SubmitAnswer>(submit(request)).expected_start, now);
}

TEST_F(HetTest, TheFirstNumberMeansAllAnOffsetOne) {
  submit(het({1, 1, 1}));
  const State& state = controller.state();
  EXPECT_EQ(records_of(state, {.job = {1}}).size(), 3u);
  EXPECT_EQ(records_of(state, {.job = {2}}), std::set<JobId>{JobId{2}});
  EXPECT_EQ(records_of(state, {.job = {1}, .component = 0}), std::set<JobId>{JobId{1}});
  EXPECT_TRUE(records_of(state, {.job = {2}, .component = 1}).empty());
}

// The log of a crash ends anywhere. Whatever of it is left, the components agree again after it.
TEST_F(HetTest, ALogThatIsCutAnywhereLeavesNoHalves) {
  std::vector<Event> log;
  auto keep = [&](Outbox taken) {
    for (Event& event : taken.events) log.push_back(std::move(event));
  };
  State start = controller.state();
  controller.submit({1}, het({1, 1, 1}), ada(), now, out);
  keep(settle());
  keep(schedule());
  AlterJobs requeue{.verb = JobVerb::Requeue};
  requeue.filter.targets.push_back({.job = {1}});
  controller.alter({1}, requeue, ada(), now, out);
  keep(settle());
  for (int i = 1; i <= 4; ++i) connect(fmt::format("n{}", i));
  keep(settle());
  EXPECT_EQ(states(), "1+0:PD 1+1:PD 1+2:PD");
  for (std::size_t cut = 1; cut <= log.size(); ++cut) {
    State recovered = start;
    for (std::size_t i = 0; i < cut; ++i) apply(recovered, log[i]);
    Controller again(cluster(), recovered);
    Outbox said;
    again.begin_watch(now, said);
    for (int i = 1; i <= 4; ++i) {
      NodeReport report{.node = fmt::format("n{}", i), .complete = true};
      report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
      EXPECT_TRUE(again.report(report, now, said));
    }
    Planner fresh{PlacementRules{}};
    fresh.rebuild(again.state());
    again.commit(fresh.plan(again.state(), now, {}), now, said);
    std::set<JobState> seen;
    again.state().jobs.for_each([&](std::uint64_t, const Job& one) { seen.insert(one.state); });
    EXPECT_EQ(seen.size(), 1u) << "cut after " << cut << " of " << log.size();
  }
}

TEST_F(HetTest, AStepOverSeveralIsMadeInAllOrNone) {
  submit(het({1, 2}));
  schedule();
  CreateHetStep create;
  create.parts = {{.job = {1}, .tasks = 3, .key = "a"},
                  {.job = {2}, .tasks = 2, .nodes = 2, .key = "b"}};
  controller.create_het_step({1}, create, ada(), now, out);
  auto made = std::get<HetStepCreated>(settle().replies.back().answer);
  ASSERT_EQ(made.parts.size(), 2u);
  EXPECT_EQ(made.parts[0].step.id, made.parts[1].step.id);
  EXPECT_EQ(made.parts[0].step.shares[0].rank(2), 2u);
  EXPECT_EQ(made.parts[1].step.shares[0].rank(0), 3u);
  EXPECT_EQ(made.parts[1].step.shares[1].rank(0), 4u);
  // Asked again because the answer was lost.
  controller.create_het_step({1}, create, ada(), now, out);
  Outbox again = settle();
  EXPECT_TRUE(again.events.empty());
  EXPECT_EQ(std::get<HetStepCreated>(again.replies.back().answer).parts[1].step.id,
            made.parts[1].step.id);
  // No room in one of them: nothing in the other.
  create.parts = {{.job = {2}, .tasks = 1, .overlap = true, .key = "c"},
                  {.job = {1}, .tasks = 4, .key = "d"}};
  controller.create_het_step({1}, create, ada(), now, out);
  again = settle();
  EXPECT_TRUE(again.events.empty());
  EXPECT_TRUE(std::holds_alternative<Failure>(again.replies.back().answer));
}

TEST_F(HetTest, TwoPartsOfOneJobAreTwoStepsOfIt) {
  submit(het({2}));
  schedule();
  CreateHetStep create;
  create.parts = {{.job = {1}, .tasks = 2, .nodes = 1}, {.job = {1}, .tasks = 2, .nodes = 1}};
  controller.create_het_step({1}, create, ada(), now, out);
  auto made = std::get<HetStepCreated>(settle().replies.back().answer);
  EXPECT_NE(made.parts[0].step.id, made.parts[1].step.id);
  EXPECT_EQ(made.parts[1].step.shares[0].rank(0), 2u);
  EXPECT_EQ(job(1).steps->size(), 2u);
}

}  // namespace
}  // namespace ym
