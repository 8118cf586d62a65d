// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/queries/explain.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "controller/queries/steps.h"
#include "schedule/shape.h"

namespace ym {
namespace {

State some_jobs() {
  State state;
  for (std::uint32_t id = 1; id <= 4; ++id) {
    Job& job = state.jobs.edit(id);
    job.id = {id};
    job.spec = Ref(JobSpec{.name = id % 2 ? "odd" : "even", .user_name = "ada", .partitions = "p"});
  }
  state.jobs.edit(3).array_job = state.jobs.edit(4).array_job = {3};
  state.jobs.edit(3).array = Ref(ArrayTasks{IndexSet::range(1, 2), 0});
  state.jobs.edit(4).array_task = 0;
  state.note_element(state.jobs.at(4));
  state.jobs.edit(1).state = JobState::Completed;
  return state;
}

std::vector<std::uint32_t> chosen(const JobFilter& filter) {
  std::vector<std::uint32_t> ids;
  for_each_selected(some_jobs(), filter, [&](const Job& job) {
    ids.push_back(job.id.value);
    return true;
  });
  return ids;
}

using Ids = std::vector<std::uint32_t>;

// It has waited for an hour, and has run for another one.
TEST(Rows, AJobThatRunsHasThePriorityThatItStartedWith) {
  State state;
  Partition& partition = state.partitions.edit(1);
  partition.id = {1};
  partition.spec = Ref(PartitionSpec{.name = "p"});
  state.partition_names = Ref(std::map<std::string, PartitionId, std::less<>>{{"p", {1}}});
  Job& job = state.jobs.edit(1);
  job.id = {1};
  job.spec = Ref(JobSpec{.partitions = "p"});
  job.priority = 0xffff0000 - 1;  // that nobody gave it
  job.eligible = job.submit = Instant::from_unix_seconds(1'000'000);
  PriorityScale scale;
  scale.rules.age = 1000;
  scale.rules.max_age = std::chrono::hours(10);
  auto shown = [&](JobState is, int hours) {
    job.state = is;
    JobRow row{.job = job};
    count_priority(row, state, job, job.submit + std::chrono::hours(hours), scale);
    return row.job.priority;
  };
  EXPECT_EQ(shown(JobState::Pending, 2), 200u);
  job.start = job.submit + std::chrono::hours(1);
  EXPECT_EQ(shown(JobState::Running, 2), 100u);
  EXPECT_EQ(shown(JobState::Completed, 5), 100u);
  scale.rules.calculate_running = true;
  EXPECT_EQ(shown(JobState::Running, 2), 200u);
  EXPECT_EQ(shown(JobState::Completed, 5), 100u);
}

TEST(Rows, NodesOfAPromiseArePlannedUntilTheJobHasThem) {
  State state;
  for (std::uint32_t id = 1; id <= 3; ++id) {
    Node& node = state.nodes.edit(id);
    node.id = {id};
    node.spec = Ref(NodeSpec{.name = "n" + std::to_string(id), .cpus = 4});
    node.condition = NodeCondition::Up;
    node.responding = true;
  }
  Node& mixed = state.nodes.edit(2);
  mixed.jobs = mixed.cpus_used = 1;
  Node& full = state.nodes.edit(3);
  full.jobs = full.exclusive = 1;
  Job& job = state.jobs.edit(1);
  job.id = {1};
  job.priority = 1;
  job.spec = Ref(JobSpec{.partitions = "p"});
  Verdicts verdicts;
  verdicts.shapes[shape_hash(shape_key(*job.spec))] = {.reason = Reason::Resources, .head = {1}};
  verdicts.shapes.begin()->second.expected_start = verdicts.promised[{1}] = Instant{5000};
  verdicts.places[{1}] = Ref(std::vector<NodeId>{{1}, {2}, {3}});
  auto states = [&] {
    std::string out;
    for (std::uint32_t id = 1; id <= 3; ++id) {
      NodeRow row = node_row(state, state.nodes.at(id));
      mark_planned(row, planned_nodes(state, verdicts));
      out += state_compact(row.node) + "/" + state_long(row.node) + " ";
    }
    return out;
  };
  EXPECT_EQ(states(), "plnd/IDLE+PLANNED mix-/MIXED+PLANNED alloc/ALLOCATED ");
  EXPECT_EQ(job_row(state, job, verdicts, Instant{1000}).scheduled_nodes, "n[1-3]");
  auto nodes = static_cast<std::uint64_t>(JobField::Nodes);
  auto both = nodes | static_cast<std::uint64_t>(JobField::Expected);
  EXPECT_EQ(brief_row(state, job, verdicts, Instant{1000}, both).scheduled_nodes, "n[1-3]");
  EXPECT_EQ(brief_row(state, job, verdicts, Instant{1000}, nodes).scheduled_nodes, "");
  job.holds.user = true;
  EXPECT_EQ(states(), "idle/IDLE mix/MIXED alloc/ALLOCATED ");
  EXPECT_EQ(job_row(state, job, verdicts, Instant{1000}).scheduled_nodes, "");
  job.holds.user = false;
  job.state = JobState::Running;
  EXPECT_EQ(states(), "idle/IDLE mix/MIXED alloc/ALLOCATED ");
}

TEST(Select, WithoutStatesShowsWhatIsNotOver) {
  EXPECT_EQ(chosen({}), (Ids{2, 3, 4}));
  EXPECT_EQ(chosen({.all_states = true}), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(chosen({.states = {JobState::Completed}}), (Ids{1}));
}

TEST(Select, ConditionsNarrowEachOther) {
  EXPECT_EQ(chosen({.names = {"even"}}), (Ids{2, 4}));
  EXPECT_EQ(chosen({.users = {"bob"}, .names = {"even"}}), Ids{});
  EXPECT_EQ(chosen({.targets = {{.job = {3}}}}), (Ids{3, 4})) << "an array means its elements";
  EXPECT_EQ(chosen({.targets = {{.job = {3}, .tasks = IndexSet::range(0, 0)}}}), (Ids{4}));
  EXPECT_EQ(chosen({.targets = {{.job = {3}, .tasks = IndexSet::range(3, 9)}}}), Ids{});
}

TEST(Select, ElementsThatWaitTogetherAreShownOneByOneIfTheyAreNamed) {
  State state = some_jobs();
  std::vector<std::string> shown;
  JobFilter filter{.targets = {{.job = {3}, .tasks = IndexSet::range(0, 2)}}};
  for_each_selected(state, filter, [&](const Job& job) {
    shown.push_back(display_id(job));
    return true;
  });
  EXPECT_EQ(shown, (std::vector<std::string>{"3_1", "3_2", "3_0"}));
}

// Millions of elements that have no record cost nothing to look one up, and many are one row.
TEST(Select, AnElementAmongMillionsIsFoundWithoutLookingAtTheOthers) {
  State state;
  Job& common = state.jobs.edit(1);
  common.id = common.array_job = {1};
  common.array = Ref(ArrayTasks{IndexSet::range(0, kArrayIndexMax - 1), 0});
  std::size_t rows = 0;
  auto count = [&](const Job&) { return ++rows, true; };
  for (std::uint32_t task = 0; task < 1000; ++task) {
    JobTarget target{.job = {1}, .tasks = IndexSet::range(task * 4000, task * 4000)};
    for_each_selected(state, {.targets = {target}}, count);
  }
  EXPECT_EQ(rows, 1000u);
  rows = 0;
  JobTarget many{.job = {1}, .tasks = IndexSet::range(0, 3'000'000)};
  for_each_selected(state, {.targets = {many}}, count);
  EXPECT_EQ(rows, 1u);
}

TEST(Rows, AHeldJobHasNoPriorityAndIsNotEligible) {
  State state = some_jobs();
  Job& job = state.jobs.edit(2);
  job.priority = 7;
  job.eligible = {5};
  job.holds.user = true;
  JobRow row = job_row(state, job, {}, {100});
  EXPECT_EQ(row.job.priority, 0u);
  EXPECT_FALSE(row.job.eligible);
}

TEST(Explain, NamesEveryConditionAndWhatWouldHaveToChange) {
  State state = some_jobs();
  Job& job = state.jobs.edit(2);
  job.holds.user = job.holds.admin = true;
  job.eligible = {5000};
  job.dependency = Ref(Dependency::parse("afterok:1(failed),afterany:4,singleton").value());
  auto told = explain(state, {.job = {2}}, {}, {100});
  ASSERT_TRUE(told);
  std::vector<Reason> reasons;
  for (const Obstacle& one : told->obstacles) {
    reasons.push_back(one.reason);
    EXPECT_FALSE(one.text.empty());
    EXPECT_FALSE(one.remedy.empty());
  }
  EXPECT_EQ(reasons, (std::vector{Reason::JobHeldUser, Reason::JobHeldAdmin,
                                  Reason::DependencyNeverSatisfied, Reason::Dependency,
                                  Reason::Dependency, Reason::BeginTime}));
  EXPECT_FALSE(explain(state, {.job = {99}}, {}, {100}));
}

TEST(Reasons, TheJobsOwnComeBeforeThePlanners) {
  Job job{.id = {1}, .spec = Ref(JobSpec{.partitions = "p"}), .priority = 1};
  Verdicts verdicts;
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::None);
  verdicts.shapes[shape_hash(shape_key(*job.spec))] = {.reason = Reason::Resources, .head = {1}};
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::Resources);
  job.id = {2};
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::Priority) << "not the head of its shape";
  job.eligible = {200};
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::BeginTime);
  job.dependency = Ref(*Dependency::parse("afterok:1"));
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::Dependency);
  job.holds.user = true;
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::JobHeldUser);
  job.holds.admin = true;
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::JobHeldAdmin);
}

State running_steps() {
  State state;
  for (std::uint32_t id = 1; id <= 2; ++id) {
    Node& node = state.nodes.edit(id);
    node.id = {id};
    node.spec = Ref(NodeSpec{.name = "n" + std::to_string(id), .port = 6818});
    node.registration = Ref(NodeRegistration{.address = "10.0.0." + std::to_string(id)});
  }
  for (std::uint32_t id = 7; id <= 8; ++id) {
    Job& job = state.jobs.edit(id);
    job.id = {id};
    job.spec = Ref(JobSpec{.user_name = "ada", .partitions = "p", .uid = {1000}, .batch = id == 7});
    job.state = JobState::Running;
    job.allocation = Ref(Allocation{.nodes = {{.node = {1}, .cpus = 4}, {.node = {2}, .cpus = 4}}});
  }
  state.jobs.edit(7).steps = Ref(std::vector<Step>{
      {.id = {0}, .name = "x", .shares = {{.node = {2}, .tasks = 1, .cpus = 1}}}});
  return state;
}

TEST(Steps, OfABatchJobBeginWithItsScriptAndNameTheirOwnNodes) {
  State state = running_steps();
  auto rows = step_rows(state, state.jobs.at(7), std::nullopt);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].step.id, kBatchStep);
  EXPECT_EQ(rows[0].nodes, "n1");
  EXPECT_EQ(rows[0].user_name, "ada");
  EXPECT_EQ(rows[1].step.id, StepId{0});
  EXPECT_EQ(rows[1].nodes, "n2");
  ASSERT_EQ(rows[1].addresses.size(), 1u);
  EXPECT_EQ(rows[1].addresses[0].address, "10.0.0.2");
  EXPECT_EQ(rows[1].addresses[0].port, 6818);
  EXPECT_EQ(step_rows(state, state.jobs.at(7), StepId{0}).size(), 1u);
  EXPECT_TRUE(step_rows(state, state.jobs.at(7), StepId{1}).empty());
}

TEST(Steps, HaveTheMemoryOfTheirJobWhereTheyAskedForNone) {
  State state = running_steps();
  Job& job = state.jobs.edit(7);
  job.allocation = Ref(Allocation{.nodes = {{.node = {1}, .cpus = 4, .memory_mb = 400},
                                            {.node = {2}, .cpus = 4, .memory_mb = 400}}});
  auto memory = [&](std::size_t row) {
    return step_rows(state, state.jobs.at(7), std::nullopt).at(row).step.shares.at(0).memory_mb;
  };
  EXPECT_EQ(memory(0), 400u) << "the script";
  EXPECT_EQ(memory(1), 400u) << "by node: all of it";
  JobSpec spec = *job.spec;
  spec.memory_per_cpu_mb = 100;
  job.spec = Ref(std::move(spec));
  EXPECT_EQ(memory(0), 400u);
  EXPECT_EQ(memory(1), 100u) << "by CPU: what comes with its own";
  job.steps = Ref(std::vector<Step>{
      {.id = {0}, .shares = {{.node = {2}, .tasks = 1, .cpus = 1, .memory_mb = 30}}}});
  EXPECT_EQ(memory(1), 30u) << "what it asked for";
}

TEST(Steps, AreThoseOfJobsThatHaveAny) {
  State state = running_steps();
  Ids ids;
  auto note = [&](const Job& job) {
    ids.push_back(job.id.value);
    return true;
  };
  for_each_with_steps(state, {}, note);
  EXPECT_EQ(ids, Ids{7}) << "8 is an allocation without a step";
  for_each_with_steps(state, {.job = JobId{8}, .step = {}}, note);
  EXPECT_EQ(ids, Ids{7});
  state.jobs.edit(7).state = JobState::Completed;
  for_each_with_steps(state, {.job = JobId{7}, .step = {}}, note);
  EXPECT_EQ(ids, Ids{7}) << "over";
}

}  // namespace
}  // namespace ym
