// SPDX-License-Identifier: Apache-2.0
// Every reason that a job may show without an accounting database, with a story that leads to it.
// docs/guide/reasons.md says what they mean and which need accounting.
#include <gtest/gtest.h>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/outbox.h"
#include "controller/queries/rows.h"
#include "model/apply.h"
#include "schedule/planner.h"

namespace ym {
namespace {

Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }
Caller root() { return {.user_name = "root", .administrator = true}; }

ClusterConfig cluster() {
  ClusterConfig config;
  config.cluster_name = "c";
  for (int i = 1; i <= 4; ++i)
    config.nodes.push_back(
        {.name = fmt::format("n{}", i), .cpus = 4, .memory_mb = 1000, .features = "fast"});
  config.partitions = {{.name = "main", .nodes = "n[1-4]", .is_default = true},
                       {.name = "down", .nodes = "n[1-4]", .state = PartitionState::Down},
                       {.name = "small", .nodes = "n[1-4]", .max_time_s = 600, .max_nodes = 1}};
  config.licenses = "matlab:1";
  return config;
}

JobSpec job_of(std::uint32_t nodes) {
  JobSpec spec;
  spec.batch = true;
  spec.script_blob = "s";
  spec.name = "j";
  spec.time_limit_s = 60;
  spec.min_nodes = spec.tasks = nodes;
  spec.exclusive = true;
  return spec;
}

// A cluster of four nodes, and a hand on it.
struct Story {
  explicit Story(ClusterConfig with = cluster())
      : config(std::move(with)), controller(config, {}), planner({}) {
    EXPECT_TRUE(controller.configure(config, now, out));
    controller.begin_watch(now, out);
    for (int i = 1; i <= 4; ++i) {
      NodeReport report{.node = fmt::format("n{}", i), .complete = true};
      report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
      EXPECT_TRUE(controller.report(report, now, out));
    }
    settle();
  }
  void settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
    for (const Reply& reply : taken.replies)
      if (const auto* failure = std::get_if<Failure>(&reply.answer)) ADD_FAILURE() << failure->text;
  }
  void submit(const JobSpec& spec, const std::string& dependency = {},
              const std::string& array = {}) {
    SubmitJob request{.spec = spec, .array = array, .dependency = dependency};
    controller.submit({1}, request, ada(), now, out);
    settle();
  }
  void submit(std::uint32_t nodes) { submit(job_of(nodes)); }
  void schedule() {
    Plan plan = planner.plan(controller.state(), now, {});
    verdicts = plan.verdicts;
    controller.commit(plan, now, out);
    settle();
  }
  void alter(std::uint32_t id, JobVerb verb, const Caller& caller = root()) {
    AlterJobs request{.verb = verb};
    request.filter.targets.push_back({.job = {id}});
    controller.alter({1}, request, caller, now, out);
    settle();
  }
  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      now = now + std::chrono::seconds(1);
      controller.tick(now, out);
    }
    settle();
  }
  void reconfigure() {
    EXPECT_TRUE(controller.configure(config, now, out));
    settle();
  }
  void reserve(const UpdateReservation& update) {
    controller.update_reservation({1}, update, root(), now, out);
    settle();
  }
  void down(const std::string& node) {
    controller.update_nodes({1}, {.nodes = node, .state = "DOWN", .reason = "test"}, root(), now,
                            out);
    settle();
  }
  // The node says of job 1's script what `attempt` does.
  void report(AttemptReport attempt) {
    const Job& job = controller.state().jobs.at(1);
    attempt.job = job.id;
    attempt.sluid = job.sluid;
    const Node& node = controller.state().nodes.at(job.allocation->nodes.front().node.value);
    EXPECT_TRUE(controller.report({.node = node.spec->name, .attempts = {attempt}}, now, out));
    settle();
  }
  NodeId node_of(std::uint32_t id) {
    return controller.state().jobs.at(id).allocation->nodes.front().node;
  }
  Reason reason(std::uint32_t id) {
    const Job& job = controller.state().jobs.at(id);
    return job_row(controller.state(), job, verdicts, now).reason;
  }

  Instant now{1'000'000'000};
  ClusterConfig config;
  Controller controller;
  Planner planner;
  Verdicts verdicts;
  Outbox out;
};

struct Row {
  Reason reason;
  std::uint32_t job;
  void (*tell)(Story&);
};

const Row kPending[] = {
    {Reason::None, 1, [](Story& s) { s.submit(1); }},
    {Reason::Resources, 2,
     [](Story& s) {
       s.submit(4);
       s.schedule();
       s.submit(4);
     }},
    {Reason::Priority, 3,
     [](Story& s) {
       s.submit(4);
       s.schedule();
       s.submit(4);
       s.submit(4);
     }},
    {Reason::Dependency, 2,
     [](Story& s) {
       s.submit(1);
       s.submit(job_of(1), "afterok:1");
     }},
    {Reason::DependencyNeverSatisfied, 2,
     [](Story& s) {
       s.submit(1);
       s.submit(job_of(1), "afterok:1");
       s.alter(1, JobVerb::Cancel);
     }},
    {Reason::JobHeldUser, 1,
     [](Story& s) {
       s.submit(1);
       s.alter(1, JobVerb::HoldUser);
     }},
    {Reason::JobHeldAdmin, 1,
     [](Story& s) {
       s.submit(1);
       s.alter(1, JobVerb::Hold);
     }},
    {Reason::BeginTime, 1,
     [](Story& s) {
       JobSpec spec = job_of(1);
       spec.begin = s.now + std::chrono::hours(1);
       s.submit(spec);
     }},
    {Reason::PartitionDown, 1,
     [](Story& s) {
       JobSpec spec = job_of(1);
       spec.partitions = "down";
       s.submit(spec);
     }},
    {Reason::PartitionInactive, 1,
     [](Story& s) {
       s.submit(1);
       s.config.partitions[0].state = PartitionState::Inactive;
       s.reconfigure();
     }},
    {Reason::PartitionNodeLimit, 1,
     [](Story& s) {
       JobSpec spec = job_of(2);
       spec.partitions = "small";
       s.submit(spec);
     }},
    {Reason::PartitionTimeLimit, 1,
     [](Story& s) {
       JobSpec spec = job_of(1);
       spec.partitions = "small";
       spec.time_limit_s = 6000;
       s.submit(spec);
     }},
    {Reason::MaxMemPerLimit, 1,
     [](Story& s) {
       s.config.partitions[0].max_memory_per_node_mb = 500;
       s.reconfigure();
       JobSpec spec = job_of(1);
       spec.memory_per_node_mb = 501;
       s.submit(spec);
     }},
    {Reason::MaxMemPerLimit, 1,
     [](Story& s) {
       // At first it would have been given more CPUs instead.
       JobSpec spec = job_of(1);
       spec.memory_per_cpu_mb = 101;
       s.submit(spec);
       s.config.partitions[0].max_memory_per_cpu_mb = 100;
       s.reconfigure();
     }},
    {Reason::PartitionConfig, 1, [](Story& s) { s.submit(9); }},
    {Reason::BadConstraints, 1,
     [](Story& s) {
       JobSpec spec = job_of(1);
       spec.extras = Ref(JobExtras{.features = "fast"});
       s.submit(spec);
       for (NodeSpec& node : s.config.nodes) node.features = "slow";
       s.reconfigure();
     }},
    {Reason::ReqNodeNotAvail, 1,
     [](Story& s) {
       s.down("n2");
       JobSpec spec = job_of(1);
       spec.extras = Ref(JobExtras{.required_nodes = "n2"});
       s.submit(spec);
     }},
    {Reason::JobArrayTaskLimit, 1,
     [](Story& s) {
       s.submit(job_of(1), "", "0-3%1");
       s.schedule();
     }},
    {Reason::Licenses, 2,
     [](Story& s) {
       JobSpec spec = job_of(1);
       spec.extras = Ref(JobExtras{.licenses = "matlab"});
       s.submit(spec);
       s.schedule();
       s.submit(spec);
     }},
    {Reason::Reservation, 1,
     [](Story& s) {
       Reservation wanted{.name = "r", .start = s.now + std::chrono::hours(1)};
       wanted.node_text = "n1";
       wanted.users = "ada";
       s.reserve({.wanted = wanted,
                  .changed = {"name", "start", "node_text", "users", "duration"},
                  .create = true,
                  .duration_s = 3600});
       JobSpec spec = job_of(1);
       spec.extras = Ref(JobExtras{.reservation = "r"});
       s.submit(spec);
     }},
    {Reason::ReservationDeleted, 1,
     [](Story& s) {
       Reservation wanted{.name = "r", .start = s.now + std::chrono::hours(1)};
       wanted.node_text = "n1";
       wanted.users = "ada";
       s.reserve({.wanted = wanted,
                  .changed = {"name", "start", "node_text", "users", "duration"},
                  .create = true,
                  .duration_s = 3600});
       JobSpec spec = job_of(1);
       spec.extras = Ref(JobExtras{.reservation = "r"});
       s.submit(spec);
       s.reserve({.wanted = {.name = "r"}, .remove = true});
     }},
    {Reason::AccountNotAllowed, 1,
     [](Story& s) {
       s.submit(1);
       s.config.partitions[0].allow_accounts = "physics";
       s.reconfigure();
     }},
    {Reason::QosNotAllowed, 1,
     [](Story& s) {
       s.submit(1);
       s.config.partitions[0].allow_qos = "high";
       s.reconfigure();
     }},
    {Reason::RequeuedHeld, 1,
     [](Story& s) {
       s.submit(1);
       s.schedule();
       s.alter(1, JobVerb::RequeueHold);
       s.report({.phase = AttemptPhase::Clean, .batch = true});
     }},
    {Reason::LaunchFailedRequeuedHeld, 1,
     [](Story& s) {
       s.submit(1);
       s.schedule();
       s.report({.phase = AttemptPhase::Clean, .batch = true, .prolog_failed = true});
     }},
    {Reason::LaunchFailedRequeuedHeld, 1,
     [](Story& s) {
       s.submit(1);
       s.schedule();
       s.report({.phase = AttemptPhase::Clean,
                 .batch = true,
                 .batch_ended = true,
                 .exit = {.code = 1},
                 .error = "cannot start slurmstepd",
                 .launch_failed = true});
     }},
};

// A job that cannot be launched, time after time, and is not held for that.
TEST(Reasons, MaxRequeueIsThatOfTheFifthLaunchThatFailed) {
  ClusterConfig config = cluster();
  config.shown.emplace_back("SchedulerParameters", "nohold_on_prolog_fail");
  Story story(config);
  story.submit(1);
  for (int launch = 1; launch <= 5; ++launch) {
    EXPECT_FALSE(story.controller.state().jobs.at(1).held()) << launch;
    story.schedule();
    ASSERT_EQ(story.controller.state().jobs.at(1).state, JobState::Running) << launch;
    std::string node = fmt::format("n{}", story.node_of(1).value);
    story.report({.phase = AttemptPhase::Clean, .batch = true, .prolog_failed = true});
    story.controller.update_nodes({1}, {.nodes = node, .state = "RESUME"}, root(), story.now,
                                  story.out);
    story.settle();
  }
  EXPECT_EQ(story.reason(1), Reason::MaxRequeue);
  EXPECT_EQ(name_of(story.reason(1)), "JobHoldMaxRequeue");
  story.alter(1, JobVerb::Release);
  EXPECT_EQ(story.controller.state().jobs.at(1).failed_launches, 0);
  EXPECT_NE(story.reason(1), Reason::MaxRequeue);
}

TEST(Reasons, CleaningIsThatOfAJobThatComesBackWhenItsNodesAreClean) {
  Story story;
  story.submit(1);
  story.schedule();
  story.alter(1, JobVerb::Requeue);
  EXPECT_EQ(story.reason(1), Reason::Cleaning);
  story.report({.phase = AttemptPhase::Clean, .batch = true});
  EXPECT_NE(story.reason(1), Reason::Cleaning);
}

// The node is up, its slurmd was started again, and has no trace of the job.
TEST(Reasons, SystemFailureIsThatOfAJobThatItsNodeForgot) {
  Story story;
  JobSpec spec = job_of(1);
  spec.requeue = false;
  story.submit(spec);
  story.schedule();
  story.report({.batch = true});
  NodeReport report{.node = "n1", .complete = true};
  report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
  EXPECT_TRUE(story.controller.report(report, story.now, story.out));
  story.settle();
  EXPECT_EQ(story.controller.state().jobs.at(1).state, JobState::NodeFail);
  EXPECT_EQ(story.reason(1), Reason::SystemFailure);
}

TEST(Reasons, OfJobsThatWait) {
  for (const Row& row : kPending) {
    Story story;
    row.tell(story);
    story.schedule();
    bool held_back = story.controller.state().jobs.at(row.job).state == JobState::Pending;
    EXPECT_EQ(held_back, row.reason != Reason::None) << name_of(row.reason);
    EXPECT_EQ(story.reason(row.job), row.reason) << name_of(row.reason);
  }
}

void start(Story& s) {
  s.submit(1);
  s.schedule();
}

const Row kEnded[] = {
    {Reason::NonZeroExitCode, 1,
     [](Story& s) {
       start(s);
       s.report({.batch = true, .batch_ended = true, .exit = {.code = 1}});
     }},
    {Reason::RaisedSignal, 1,
     [](Story& s) {
       start(s);
       s.report({.batch = true, .batch_ended = true, .exit = {.signal = 11}});
     }},
    {Reason::OutOfMemory, 1,
     [](Story& s) {
       start(s);
       s.report({.batch = true, .batch_ended = true, .exit = {.signal = 9}, .out_of_memory = true});
     }},
    {Reason::JobLaunchFailure, 1,
     [](Story& s) {
       start(s);
       s.report({.batch = true, .batch_ended = true, .exit = {.code = 1}, .error = "no shell"});
     }},
    {Reason::TimeLimit, 1,
     [](Story& s) {
       start(s);
       s.pass(62);
     }},
    {Reason::NodeDown, 1,
     [](Story& s) {
       JobSpec spec = job_of(4);
       spec.requeue = false;
       s.submit(spec);
       s.schedule();
       s.down("n3");
     }},
    {Reason::DeadLine, 1,
     [](Story& s) {
       JobSpec spec = job_of(1);
       spec.deadline = s.now + std::chrono::seconds(70);
       s.submit(spec);
       s.pass(12);
     }},
};

TEST(Reasons, OfJobsThatHaveEnded) {
  for (const Row& row : kEnded) {
    Story story;
    row.tell(story);
    EXPECT_TRUE(is_terminal(story.controller.state().jobs.at(row.job).state))
        << name_of(row.reason);
    EXPECT_EQ(story.reason(row.job), row.reason) << name_of(row.reason);
  }
}

TEST(Reasons, PrologIsThatOfAJobThatRunsAndWaitsForIt) {
  ClusterConfig config = cluster();
  config.controller_prolog = "/bin/true";
  Story story(config);
  start(story);
  EXPECT_EQ(story.controller.state().jobs.at(1).state, JobState::Running);
  EXPECT_EQ(story.reason(1), Reason::Prolog);
}

// --immediate: the controller gives up by itself, also if nobody asks any more.
TEST(Reasons, OneThatWasToStartAtOnceDoesNotWait) {
  Story story;
  story.submit(4);
  story.schedule();
  JobSpec spec = job_of(1);
  spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.immediate_s = 2})});
  story.submit(spec);
  story.pass(2);
  EXPECT_EQ(story.controller.state().jobs.at(2).state, JobState::Pending);
  story.pass(1);
  EXPECT_EQ(story.controller.state().jobs.at(2).state, JobState::Cancelled);
}

// --prefer counts as long as there is room.
TEST(Reasons, PreferredNodesAreTakenFirstAndOthersAfterThem) {
  ClusterConfig config = cluster();
  config.nodes[2].features = "fast,new";
  Story story(config);
  JobSpec spec = job_of(1);
  spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.prefer = "new"})});
  story.submit(spec);
  story.submit(spec);
  story.schedule();
  EXPECT_EQ(story.controller.state().jobs.at(1).allocation->nodes[0].node, NodeId{3});
  EXPECT_EQ(story.controller.state().jobs.at(2).state, JobState::Running);
}

// Four million elements are one run in one record, before and after some of them have begun.
TEST(Arrays, ElementsThatHaveNotBegunCostNothing) {
  ClusterConfig config = cluster();
  config.max_array_size = kArrayIndexMax;
  Story story(config);
  JobSpec spec = job_of(1);
  spec.exclusive = false;
  story.submit(spec, "", "0-3999999");
  const State& state = story.controller.state();
  EXPECT_EQ(state.jobs.size(), 1u);
  EXPECT_EQ(state.jobs.at(1).array->waiting.runs().size(), 1u);
  story.schedule();
  EXPECT_EQ(state.jobs.size(), 17u) << "16 CPUs, and the rest";
  EXPECT_EQ(state.jobs.at(1).array->waiting.count(), 4'000'000u - 16);
  EXPECT_EQ(state.jobs.at(1).array->waiting.runs().size(), 1u);
}

}  // namespace
}  // namespace ym
