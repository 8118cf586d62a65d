// SPDX-License-Identifier: Apache-2.0
#include "trace/replay.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "trace/generate.h"

namespace ym::trace {
namespace {

// Jobs of one user, each with id = place + 1.
Workload workload_of(std::vector<TraceJob> jobs) {
  Workload w{.jobs = std::move(jobs), .users = {"ann"}, .partitions = {"queue1"}};
  for (std::size_t i = 0; i < w.jobs.size(); ++i) w.jobs[i].id = i + 1;
  settle(w);
  return w;
}

Outcome replayed(const Workload& workload, Machine machine, std::string policy = {}) {
  auto outcome =
      replay({.workload = &workload, .machine = std::move(machine), .policy = std::move(policy)});
  EXPECT_TRUE(outcome) << outcome.error().text;
  return outcome.value_or(Outcome{});
}

std::vector<std::int64_t> starts_of(const Outcome& outcome) {
  std::vector<std::int64_t> starts;
  for (const JobFate& fate : outcome.jobs) starts.push_back(fate.start_s);
  return starts;
}

using Starts = std::vector<std::int64_t>;

TEST(Replay, AJobWhoseTurnItIsStartsInTheSecondInWhichAnotherEnds) {
  Workload w = workload_of({{.submit_s = 0, .run_s = 437, .limit_s = 437, .procs = 4},
                            {.submit_s = 1, .run_s = 10, .limit_s = 10, .procs = 4},
                            {.submit_s = 437, .run_s = 10, .limit_s = 10, .procs = 4}});
  Outcome outcome = replayed(w, counted_machine(4));
  EXPECT_EQ(starts_of(outcome), (Starts{0, 437, 447}));
  EXPECT_EQ(outcome.jobs[0].end_s, 437);
  for (const JobFate& fate : outcome.jobs) EXPECT_EQ(fate.state, JobState::Completed);
}

TEST(Replay, ALimitIsHonouredToTheSecond) {
  Workload w = workload_of({{.submit_s = 0, .run_s = 1000, .limit_s = 437, .procs = 4},
                            {.submit_s = 1, .run_s = 10, .limit_s = 10, .procs = 4}});
  Outcome outcome = replayed(w, counted_machine(4));
  EXPECT_EQ(outcome.jobs[0], (JobFate{0, 437, JobState::Timeout}));
  EXPECT_EQ(outcome.jobs[1].start_s, 437);
}

TEST(Replay, OverTimeLimitGivesWhatTheSiteAllows) {
  Workload w = workload_of({{.submit_s = 0, .run_s = 1000, .limit_s = 437, .procs = 4},
                            {.submit_s = 0, .run_s = 450, .limit_s = 437, .procs = 4}});
  Machine machine = counted_machine(4);
  machine.config.over_time_limit = std::chrono::minutes(1);
  Outcome outcome = replayed(w, std::move(machine));
  EXPECT_EQ(outcome.jobs[0], (JobFate{0, 497, JobState::Timeout}));
  EXPECT_EQ(outcome.jobs[1], (JobFate{497, 947, JobState::Completed}));
}

TEST(Replay, AJobWithoutALimitRunsToItsEnd) {
  Workload w = workload_of({{.submit_s = 0, .run_s = 100'000'000, .procs = 4}});
  EXPECT_EQ(replayed(w, counted_machine(4)).jobs[0],
            (JobFate{0, 100'000'000, JobState::Completed}));
}

TEST(Replay, ASmallJobFillsAHoleThatNobodyElseCanUse) {
  Workload w = workload_of({{.submit_s = 0, .run_s = 100, .limit_s = 100, .procs = 3},
                            {.submit_s = 1, .run_s = 100, .limit_s = 100, .procs = 4},
                            {.submit_s = 2, .run_s = 50, .limit_s = 50, .procs = 1},
                            {.submit_s = 3, .run_s = 50, .limit_s = 98, .procs = 1}});
  EXPECT_EQ(starts_of(replayed(w, counted_machine(4), "easy")), (Starts{0, 100, 2, 200}));
  EXPECT_EQ(starts_of(replayed(w, counted_machine(4), "fcfs")), (Starts{0, 100, 200, 200}));
}

TEST(Replay, ElementsOfAnArrayAreJobsOfTheirOwn) {
  std::vector<TraceJob> jobs;
  for (std::uint32_t i = 0; i < 5; ++i)
    jobs.push_back({.submit_s = 0, .run_s = 10 + i, .limit_s = 20, .procs = 2, .array = 1});
  jobs.push_back({.submit_s = 0, .run_s = 5, .limit_s = 5, .procs = 4});
  Outcome outcome = replayed(workload_of(jobs), counted_machine(4), "fcfs");
  EXPECT_EQ(starts_of(outcome), (Starts{0, 0, 10, 11, 22, 36}));
  EXPECT_EQ(outcome.jobs[4].end_s, 36);
}

TEST(Replay, NodesAndGpusArePlacedAsTheClusterPlacesThem) {
  Workload w = workload_of({{.run_s = 50, .limit_s = 60, .procs = 16, .nodes = 2, .gpus = 16},
                            {.run_s = 50, .limit_s = 60, .procs = 1, .gpus = 1},
                            {.run_s = 50, .limit_s = 60, .procs = 8},
                            {.run_s = 50, .limit_s = 60, .procs = 9, .nodes = 1}});
  Outcome outcome = replayed(w, *uniform_machine("2x16x8"), "easy");
  EXPECT_EQ(starts_of(outcome), (Starts{0, 50, 0, 50}))
      << "the second lacks a GPU, the last a node with nine free CPUs";
}

TEST(Replay, WhatTheClusterRefusesIsCountedAndDoesNotStopTheOthers) {
  Workload w = workload_of(
      {{.run_s = 50, .limit_s = 60, .procs = 5}, {.run_s = 50, .limit_s = 60, .procs = 4}});
  Outcome outcome = replayed(w, counted_machine(4));
  EXPECT_EQ(outcome.refused, 1u);
  EXPECT_TRUE(outcome.refusal.starts_with("job 1: ")) << outcome.refusal;
  EXPECT_EQ(starts_of(outcome), (Starts{kNotStarted, 0}));
}

TEST(Replay, JobsGoToThePartitionOfTheirNameWhereThereIsOne) {
  Workload w = workload_of({{.run_s = 50, .limit_s = 60, .procs = 4},
                            {.run_s = 50, .limit_s = 60, .procs = 4},
                            {.run_s = 50, .limit_s = 60, .procs = 4}});
  w.partitions = {"elsewhere", "n2only"};
  w.jobs[1].partition = w.jobs[2].partition = 1;
  Machine machine = *uniform_machine("2x4");
  machine.config.partitions.push_back({.name = "n2only", .nodes = "n2"});
  EXPECT_EQ(starts_of(replayed(w, std::move(machine))), (Starts{0, 0, 50}));
}

TEST(Replay, AnUnknownPolicyIsRefusedWithTheNamesOfThoseThereAre) {
  Workload w = workload_of({{.run_s = 1, .limit_s = 1, .procs = 1}});
  auto outcome = replay({.workload = &w, .machine = counted_machine(4), .policy = "best"});
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(outcome.error().text.starts_with("no policy 'best'; there are "));
  EXPECT_NE(outcome.error().text.find("fcfs"), std::string::npos);
}

TEST(Replay, WithoutAPolicyTheConfigurationSaysWhichOne) {
  Workload w = workload_of({{.run_s = 1, .limit_s = 1, .procs = 1}});
  Machine machine = counted_machine(4);
  EXPECT_FALSE(replayed(w, machine).policy.empty());
  machine.config.scheduler_parameters = "bf_interval=30,ym_policy=fcfs";
  EXPECT_EQ(replayed(w, machine).policy, "fcfs");
  EXPECT_EQ(replayed(w, machine, "easy").policy, "easy");
}

// One processor. Ada has used it all the time, then both want it at once.
TEST(Replay, WithWeightsOfTheConfigurationTheQueueFollowsTheUsersShares) {
  Workload w = workload_of({{.run_s = 3600, .limit_s = 3600, .procs = 1},
                            {.submit_s = 10, .run_s = 100, .limit_s = 100, .procs = 1},
                            {.submit_s = 20, .run_s = 100, .limit_s = 100, .procs = 1},
                            {.submit_s = 900000, .run_s = 100, .limit_s = 100, .procs = 1},
                            {.submit_s = 900001, .run_s = 50, .limit_s = 50, .procs = 1},
                            {.submit_s = 900002, .run_s = 50, .limit_s = 50, .procs = 1}});
  w.users = {"ada", "bob"};
  w.jobs[2].user = w.jobs[3].user = w.jobs[5].user = 1;
  Machine machine = counted_machine(1);
  EXPECT_EQ(starts_of(replayed(w, machine, "backfill")),
            (Starts{0, 3600, 3700, 900000, 900100, 900150}));
  machine.config.priority.fair_share = 1000;
  EXPECT_EQ(starts_of(replayed(w, machine, "backfill")),
            (Starts{0, 3700, 3600, 900000, 900150, 900100}))
      << "bob goes first";
  machine.config.shown = {{"PriorityDecayHalfLife", "0-00:10:00"}};
  EXPECT_EQ(starts_of(replayed(w, machine, "backfill")),
            (Starts{0, 3700, 3600, 900000, 900100, 900150}))
      << "what ada used is forgotten when bob has just used some";
}

// Two nodes of 4 CPUs; a partition whose jobs make room for those of the other.
Machine two_tiers(std::string_view mode) {
  Machine machine = *uniform_machine("2x4");
  machine.as_configured = true;
  ClusterConfig& config = machine.config;
  config.preempt.by = PreemptBy::PartitionTier;
  config.preempt.cluster = parse_preempt_mode(mode);
  config.preempt.mode_text = preempt_mode_text(mode);
  config.partitions = {
      PartitionSpec{.name = "low", .nodes = "n[1-2]", .is_default = true, .priority_tier = 1},
      PartitionSpec{.name = "high", .nodes = "n[1-2]", .priority_tier = 2}};
  for (PartitionSpec& one : config.partitions) one.preempt_mode = config.preempt.mode_text;
  return machine;
}

// Both nodes are busy with jobs of 100 s when one of the other partition comes, for 20 s.
Workload urgent_work() {
  Workload w = workload_of({{.run_s = 100, .limit_s = 200, .procs = 4},
                            {.run_s = 100, .limit_s = 200, .procs = 4},
                            {.submit_s = 30, .run_s = 20, .limit_s = 60, .procs = 4}});
  w.partitions = {"low", "high"};
  w.jobs[2].partition = 1;
  return w;
}

TEST(Replay, WhoMakesRoomAndGoesBackToTheQueueRunsAgainFromItsBeginning) {
  Outcome outcome = replayed(urgent_work(), two_tiers("REQUEUE"));
  EXPECT_EQ(outcome.jobs[0], (JobFate{0, 100, JobState::Completed}));
  EXPECT_EQ(outcome.jobs[2], (JobFate{30, 50, JobState::Completed}));
  EXPECT_EQ(outcome.jobs[1].restarts, 1u);
  EXPECT_EQ(outcome.jobs[1].state, JobState::Completed);
  EXPECT_GE(outcome.jobs[1].start_s, 50);
  EXPECT_EQ(outcome.jobs[1].end_s - outcome.jobs[1].start_s, 100);
}

TEST(Replay, WhoIsCancelledForAnotherIsOver) {
  Outcome outcome = replayed(urgent_work(), two_tiers("CANCEL"));
  EXPECT_EQ(outcome.jobs[1], (JobFate{0, 30, JobState::Preempted}));
  EXPECT_EQ(outcome.jobs[2], (JobFate{30, 50, JobState::Completed}));
}

TEST(Replay, ATimeOfGraceIsGiven) {
  Machine machine = two_tiers("CANCEL");
  machine.config.partitions[0].grace_time_s = 15;
  Outcome outcome = replayed(urgent_work(), std::move(machine));
  EXPECT_EQ(outcome.jobs[1], (JobFate{0, 45, JobState::Preempted}));
  EXPECT_EQ(outcome.jobs[2].start_s, 45);
}

TEST(Replay, WhoIsSuspendedGoesOnWhereItWas) {
  Outcome outcome = replayed(urgent_work(), two_tiers("SUSPEND,GANG"));
  EXPECT_EQ(outcome.jobs[1].state, JobState::Completed);
  EXPECT_EQ(outcome.jobs[1].start_s, 0);
  EXPECT_GE(outcome.jobs[1].end_s, 120) << "20 s or more later than alone";
  EXPECT_LE(outcome.jobs[1].end_s, 125);
  EXPECT_EQ(outcome.jobs[1].restarts, 0u);
}

TEST(Replay, WithoutPreemptionNobodyMakesRoom) {
  EXPECT_EQ(starts_of(replayed(urgent_work(), two_tiers("OFF"))), (Starts{0, 0, 100}));
}

// The wide job is promised 100; the last one would be in its way.
TEST(Replay, KnobsOfTheConfigurationCount) {
  Workload w = workload_of({{.run_s = 100, .limit_s = 100, .procs = 3},
                            {.submit_s = 1, .run_s = 100, .limit_s = 100, .procs = 4},
                            {.submit_s = 3, .run_s = 150, .limit_s = 150, .procs = 1}});
  Machine machine = *uniform_machine("1x4");
  machine.as_configured = true;
  EXPECT_EQ(starts_of(replayed(w, machine, "backfill")), (Starts{0, 100, 200}));
  machine.config.scheduler_parameters = "bf_max_job_test=0";
  EXPECT_EQ(starts_of(replayed(w, machine, "backfill")), (Starts{0, 153, 3}))
      << "nobody is promised anything";
  machine.as_configured = false;
  EXPECT_EQ(starts_of(replayed(w, machine, "backfill")), (Starts{0, 100, 200}))
      << "no site's machine";
}

TEST(Replay, WhatIsIgnoredIsTold) {
  Workload w = workload_of({{.run_s = 10, .limit_s = 10, .procs = 1, .memory_mb = 7000}});
  Machine machine = *uniform_machine("1x4");
  machine.as_configured = true;
  machine.config.scheduler_parameters = "bf_max_time=3,no_such_knob";
  EXPECT_EQ(replayed(w, machine).ignored,
            (std::vector<std::string>{
                "partition of 1 job (not in the configuration: the default one)",
                "memory of 1 job (no node has any)", "bf_max_time (a pass takes no time here)",
                "no_such_knob is not acted on"}));
  EXPECT_TRUE(replayed(w, counted_machine(4)).ignored.empty());
}

// Whatever the policy: nobody starts before it is there, nothing is given away twice, all end.
TEST(Replay, NeverUsesMoreThanThereIs) {
  Workload w = *generate({.model = "lublin", .jobs = 600, .seed = 5, .procs = 64});
  for (const char* policy : {"", "fcfs", "easy"}) {
    Outcome outcome = replayed(w, counted_machine(64), policy);
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    for (std::size_t i = 0; i < w.jobs.size(); ++i) {
      const JobFate& fate = outcome.jobs[i];
      ASSERT_EQ(fate.state, JobState::Completed);
      ASSERT_GE(fate.start_s, w.jobs[i].submit_s);
      ASSERT_EQ(fate.end_s - fate.start_s, w.jobs[i].run_s);
      changes.emplace_back(fate.start_s, std::int64_t{w.jobs[i].procs});
      changes.emplace_back(fate.end_s, -std::int64_t{w.jobs[i].procs});
    }
    std::ranges::sort(changes);
    std::int64_t used = 0;
    for (auto [at, change] : changes) ASSERT_LE(used += change, 64) << policy;
  }
}

}  // namespace
}  // namespace ym::trace
