// SPDX-License-Identifier: Apache-2.0
#include "model/apply.h"

#include <gtest/gtest.h>

#include "model/errc.h"
#include "model/job.h"
#include "model/node.h"
#include "model/state.h"

namespace ym {
namespace {

// A cluster of two nodes whose log grows by one event at a time.
class ApplyTest : public testing::Test {
 protected:
  ApplyTest() {
    happen(ClusterFounded{.name = "c", .first_job_id = 10});
    happen(NodesDefined{{{{1}, Ref(NodeSpec{.name = "n1", .cpus = 8, .memory_mb = 100})},
                         {{2}, Ref(NodeSpec{.name = "n2", .cpus = 8, .memory_mb = 100})}}});
  }
  void happen(EventBody body) {
    apply(state, {.seq = {state.seq.value + 1}, .at = {1000}, .body = std::move(body)});
  }
  void submit(JobId job, const char* array = nullptr) {
    JobSubmitted event{.job = job, .sluid = {job.value}, .spec = Ref(JobSpec{.name = "j"})};
    if (array) {
      auto parsed = ArrayExpression::parse(array);
      event.array = Ref(ArrayTasks{parsed->indices, parsed->max_running});
    }
    happen(event);
  }
  void start(JobId job) {
    Allocation both{.nodes = {{{1}, 4, 10}, {{2}, 2, 20}}};
    happen(JobStarted{.job = job, .allocation = Ref(both), .limit_end = {9000}});
  }
  const Node& node(std::uint32_t id) { return state.nodes.at(id); }
  State state;
};

TEST_F(ApplyTest, ThoseWhoShareStandInRows) {
  auto run = [&](JobId job, std::uint32_t cpus, std::uint32_t row) {
    submit(job);
    Allocation one{.nodes = {{.node = {1}, .cpus = cpus, .memory_mb = 10, .row = row}}};
    happen(JobStarted{.job = job, .allocation = Ref(one), .limit_end = {9000}});
  };
  std::uint32_t all = node(1).spec->cpus;
  run({10}, all, 1);
  run({11}, all - 1, 2);
  EXPECT_EQ(node(1).cpus_free(), 0u) << "nothing for one who wants it alone";
  EXPECT_EQ(node(1).cpus_free(1), 0u);
  EXPECT_EQ(node(1).cpus_free(2), 1u);
  EXPECT_EQ(node(1).cpus_free(3), all) << "a row in which nobody is";
  EXPECT_EQ(node(1).memory_used_mb, 20u);
  EXPECT_EQ(node(1).cpus_taken(), all) << "people are shown no more than there is";
  happen(JobFinished{.job = {10}});
  happen(JobNodeReleased{.job = {10}, .node = {1}});
  EXPECT_EQ(node(1).cpus_free(1), all);
  EXPECT_EQ(node(1).cpus_free(2), 1u);
  happen(JobFinished{.job = {11}});
  happen(JobNodeReleased{.job = {11}, .node = {1}});
  EXPECT_FALSE(node(1).rows);
  EXPECT_EQ(node(1).cpus_free(), all);
  run({12}, 1, 0);
  EXPECT_EQ(node(1).cpus_free(1), 0u) << "nobody shares beside one who is alone";
}

TEST_F(ApplyTest, WhatAStartTakesTheReleaseGivesBack) {
  Node before1 = node(1), before2 = node(2);
  submit({10});
  start({10});
  EXPECT_EQ(node(1).cpus_used, 4u);
  EXPECT_EQ(node(2).memory_used_mb, 20u);
  happen(JobFinished{.job = {10}});
  EXPECT_EQ(node(1).completing, 1u);
  EXPECT_EQ(node(1).cpus_used, 4u) << "held until the node is clean";
  happen(JobNodeReleased{.job = {10}, .node = {1}});
  EXPECT_TRUE(state.find(JobId{10})->completing());
  happen(JobNodeReleased{.job = {10}, .node = {2}});
  EXPECT_FALSE(state.find(JobId{10})->completing());
  Node after1 = node(1), after2 = node(2);
  after1.last_busy = before1.last_busy;
  after2.last_busy = before2.last_busy;
  EXPECT_EQ(after1, before1);
  EXPECT_EQ(after2, before2);
}

TEST_F(ApplyTest, AnElementLeavesItsArrayAndTheLastOneTakesTheRecordOver) {
  submit({10}, "1-2%1");
  happen(ArrayTaskSplit{.array_job = {10}, .task = 1, .job = {11}, .sluid = {50}});
  const Job* element = state.find(JobId{11});
  EXPECT_EQ(element->array_job, JobId{10});
  EXPECT_EQ(element->array_task, 1u);
  EXPECT_EQ(element->array_max_running, 1u);
  EXPECT_FALSE(element->array);
  EXPECT_EQ(display_id(*state.find(JobId{10})), "10_[2%1]");
  happen(ArrayTaskSplit{.array_job = {10}, .task = 2, .job = {10}, .sluid = {51}});
  EXPECT_FALSE(state.find(JobId{10})->array);
  EXPECT_EQ(display_id(*state.find(JobId{10})), "10_2");
  EXPECT_EQ(state.next_job_id, 12u);
}

TEST_F(ApplyTest, CancelledElementsAreGoneFromTheRecord) {
  submit({10}, "1-5");
  happen(ArrayTasksCancelled{.array_job = {10}, .tasks = IndexSet::range(2, 4)});
  EXPECT_EQ(display_id(*state.find(JobId{10})), "10_[1,5]");
}

TEST_F(ApplyTest, ARequeuedJobIsANewAttemptWithNothingLeftOfTheOld) {
  submit({10});
  start({10});
  happen(JobLaunched{.job = {10}});
  happen(JobFinished{.job = {10}, .state = JobState::NodeFail, .requeue = true});
  happen(JobNodeReleased{.job = {10}, .node = {1}});
  happen(JobNodeReleased{.job = {10}, .node = {2}});
  happen(JobRequeued{.job = {10}, .sluid = {99}, .begin = {2000}, .reason = Reason::NodeDown});
  const Job& job = *state.find(JobId{10});
  EXPECT_EQ(job.state, JobState::Pending);
  EXPECT_EQ(job.sluid, Sluid{99});
  EXPECT_EQ(job.eligible, Instant{2000});
  EXPECT_EQ(job.restarts, 1u);
  EXPECT_FALSE(job.launched || job.requeue_wanted || job.start || job.end);
  EXPECT_TRUE(job.allocation->nodes.empty());
}

TEST_F(ApplyTest, LaunchesThatFailedAreCountedUntilOneDoesNotOrTheJobIsReleased) {
  submit({10});
  auto requeue = [&](Reason reason, Holds holds = {}) {
    start({10});
    happen(JobFinished{.job = {10}, .state = JobState::NodeFail, .requeue = true});
    happen(JobNodeReleased{.job = {10}, .node = {1}});
    happen(JobNodeReleased{.job = {10}, .node = {2}});
    happen(JobRequeued{.job = {10}, .sluid = {99}, .holds = holds, .reason = reason});
  };
  auto failed = [&] { return state.find(JobId{10})->failed_launches; };
  requeue(Reason::JobLaunchFailure);
  requeue(Reason::JobLaunchFailure);
  EXPECT_EQ(failed(), 2);
  requeue(Reason::NodeDown);
  EXPECT_EQ(failed(), 0);
  requeue(Reason::JobLaunchFailure);
  requeue(Reason::MaxRequeue, {.user = true});
  EXPECT_EQ(failed(), 2);
  const Job& held = *state.find(JobId{10});
  happen(JobUpdated{.job = {10}, .spec = held.spec, .priority = 1});
  EXPECT_EQ(failed(), 0);
}

// JobSpecials::keeps: from the end of the job until it starts again, ends for good or is held.
TEST_F(ApplyTest, NodesAreKeptForAJobThatComesBack) {
  submit({10});
  start({10});
  auto keep = [&](std::uint32_t keeps, Holds holds = {}) {
    JobSpec spec = *state.find(JobId{10})->spec;
    spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.keeps = keeps})});
    happen(JobUpdated{.job = {10}, .spec = Ref(spec), .holds = holds, .priority = 1});
  };
  auto kept = [&] { return node(1).kept_for == JobId{10} && node(2).kept_for == JobId{10}; };
  auto end = [&] {
    happen(JobFinished{.job = {10}, .state = JobState::NodeFail, .requeue = true});
    happen(JobNodeReleased{.job = {10}, .node = {1}});
    happen(JobNodeReleased{.job = {10}, .node = {2}});
  };
  keep(10);
  EXPECT_FALSE(kept()) << "it has them";
  end();
  EXPECT_TRUE(kept());
  happen(JobRequeued{.job = {10}, .sluid = {99}});
  EXPECT_TRUE(kept());
  std::uint64_t changes = state.kept_changes;
  start({10});
  EXPECT_FALSE(node(1).kept_for || node(2).kept_for);
  EXPECT_NE(state.kept_changes, changes);
  end();
  happen(JobRequeued{.job = {10}, .sluid = {100}, .holds = {.user = true}});
  EXPECT_FALSE(node(1).kept_for || node(2).kept_for) << "held";
  keep(10);
  start({10});
  end();
  keep(0);
  EXPECT_FALSE(node(1).kept_for || node(2).kept_for) << "its nodes were not to blame";
  EXPECT_FALSE(state.find(JobId{10})->requeue_wanted);
}

TEST_F(ApplyTest, StepsComeAndGoAndLeaveTheirWorstExit) {
  submit({10});
  start({10});
  happen(StepStarted{.job = {10}, .step = {.id = {0}, .nodes_left = {{1}, {2}}}});
  EXPECT_EQ(state.find(JobId{10})->next_step, 1u);
  happen(StepNodeEnded{.job = {10}, .step = {0}, .node = {1}, .exit = {.code = 2}});
  EXPECT_EQ(state.find(JobId{10})->steps->front().worst.code, 2);
  happen(StepEnded{.job = {10}, .step = {0}, .exit = {.code = 2}});
  EXPECT_TRUE(state.find(JobId{10})->steps->empty());
  EXPECT_EQ(state.find(JobId{10})->derived_exit.code, 2);
}

TEST_F(ApplyTest, ASnapshotDoesNotMoveOn) {
  submit({10});
  Snapshot snapshot = state;
  start({10});
  EXPECT_EQ(snapshot.find(JobId{10})->state, JobState::Pending);
  EXPECT_EQ(snapshot.find(NodeId{1})->cpus_used, 0u);
}

TEST_F(ApplyTest, NodesAndPartitionsAreFoundByNameUntilTheyGo) {
  happen(PartitionDefined{.partition = {1},
                          .spec = Ref(PartitionSpec{.name = "p", .is_default = true})});
  EXPECT_EQ(state.default_partition()->spec->name, "p");
  happen(PartitionRemoved{.partition = {1}});
  EXPECT_EQ(state.find_partition("p"), nullptr);
  happen(NodeRemoved{.node = {2}});
  EXPECT_EQ(state.find_node("n2"), nullptr);
  EXPECT_NE(state.find_node("n1"), nullptr);
}

TEST_F(ApplyTest, AnEventOutOfTurnIsABrokenLog) {
  EXPECT_DEATH(apply(state, {.seq = {99}, .at = {}, .body = JobLaunched{.job = {10}}}), "");
  EXPECT_DEATH(happen(JobLaunched{.job = {10}}), "");
}

TEST(Sluid, OrderIsKeptWhenTheClockGoesBack) {
  State state;
  state.last_sluid = next_sluid(state, {5000});
  EXPECT_GT(next_sluid(state, {1000}), state.last_sluid);
  EXPECT_GT(next_sluid(state, {9000}), next_sluid(state, {5000}));
}

TEST(NodeState, IsShownAsSinfoDoes) {
  Node node{.spec = Ref(NodeSpec{.name = "n", .cpus = 4}),
            .condition = NodeCondition::Up,
            .responding = true};
  EXPECT_EQ(state_word(node), "idle");
  node.cpus_used = 1;
  node.jobs = 1;
  EXPECT_EQ(state_compact(node), "mix");
  node.drain = true;
  EXPECT_EQ(state_compact(node), "drng");
  node.condition = NodeCondition::Down;
  node.responding = false;
  EXPECT_EQ(state_compact(node).back(), '*');
}

TEST(Errors, CarrySlurmsTexts) {
  EXPECT_EQ(text_of(Errc::InvalidJobId), "Invalid job id specified");
  EXPECT_EQ(refuse(Errc::InvalidNodeName, "n9").error().text,
            std::string(text_of(Errc::InvalidNodeName)) + ": n9");
}

TEST_F(ApplyTest, TheLastStepsThatEndedAreKeptUntilARequeue) {
  submit({10});
  start({10});
  happen(StepEnded{.job = {10}, .step = kBatchStep, .exit = {.code = 2}});
  for (std::uint32_t id = 0; id < kEndedStepsMax + 3; ++id) {
    happen(StepStarted{.job = {10}, .step = {.id = {id}, .name = "s", .key = "k"}});
    happen(StepEnded{.job = {10}, .step = {id}, .exit = {.code = 1}});
  }
  const std::vector<EndedStep>& ended = *state.jobs.at(10).ended_steps;
  ASSERT_EQ(ended.size(), kEndedStepsMax);
  EXPECT_EQ(ended.front().step.id, StepId{3}) << "the oldest leave first";
  EXPECT_EQ(ended.back().step.worst, (ExitStatus{.code = 1}));
  EXPECT_EQ(ended.back().step.key, "");
  EXPECT_EQ(ended.back().end, Instant{1000});
  EXPECT_TRUE(state.jobs.at(10).steps->empty());
  happen(JobFinished{.job = {10}, .requeue = true});
  happen(JobNodeReleased{.job = {10}, .node = {1}});
  happen(JobNodeReleased{.job = {10}, .node = {2}});
  happen(JobRequeued{.job = {10}, .sluid = {77}});
  EXPECT_TRUE(state.jobs.at(10).ended_steps->empty());
}

TEST_F(ApplyTest, MemoryIsFreeOnceItWasGivenBackAndANewAttemptHasItAll) {
  submit({10});
  start({10});
  happen(StepStarted{.job = {10},
                     .step = {.id = {0}, .shares = {{.node = {2}, .tasks = 1, .memory_mb = 15}}}});
  happen(JobMemoryWanted{.job = {10}, .memory_mb = 12, .looked = true});
  EXPECT_EQ(node(2).memory_used_mb, 20u) << "held until all nodes have said so";
  EXPECT_EQ(*state.find(JobId{10})->memory, (JobMemory{.wanted_mb = 12, .looked = true}));
  Allocation less{.generation = 1, .nodes = {{{1}, 4, 10}, {{2}, 2, 12}}};
  happen(JobMemoryLowered{.job = {10}, .allocation = Ref(less)});
  const Job& job = *state.find(JobId{10});
  EXPECT_EQ(node(1).memory_used_mb, 10u);
  EXPECT_EQ(node(2).memory_used_mb, 12u);
  EXPECT_EQ(node(2).cpus_used, 2u);
  EXPECT_EQ(*job.allocation, less);
  EXPECT_EQ(*job.memory, (JobMemory{.lowered_mb = 12, .looked = true}));
  EXPECT_EQ(job.steps->front().shares.front().memory_mb, 12u);
  happen(JobFinished{.job = {10}, .requeue = true});
  happen(JobNodeReleased{.job = {10}, .node = {1}});
  happen(JobNodeReleased{.job = {10}, .node = {2}});
  EXPECT_EQ(node(2).memory_used_mb, 0u);
  happen(JobRequeued{.job = {10}, .sluid = {77}});
  EXPECT_EQ(*state.find(JobId{10})->memory, JobMemory{});
}

}  // namespace
}  // namespace ym
