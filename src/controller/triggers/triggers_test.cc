// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/controller.h"
#include "model/errc.h"
#include "notation/cron.h"
#include "schedule/planner.h"

namespace ym {
namespace {

ClusterConfig two_nodes() {
  ClusterConfig config;
  config.cluster_name = "c";
  for (const char* name : {"n1", "n2"})
    config.nodes.push_back({.name = name, .cpus = 4, .memory_mb = 1000});
  config.partitions = {{.name = "main", .nodes = "n[1-2]", .is_default = true}};
  return config;
}

Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }
Caller bob() { return {.uid = {1001}, .gid = {1001}, .user_name = "bob"}; }
Caller root() { return {.user_name = "root", .administrator = true}; }

class TriggerTest : public testing::Test {
 protected:
  TriggerTest() : controller(two_nodes(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(two_nodes(), now, out));
    controller.begin_watch(now, out);
    for (const char* name : {"n1", "n2"}) {
      NodeReport report{.node = name, .complete = true};
      report.registration = {.cpus = 4, .memory_mb = 1000, .boot_time = {1}};
      EXPECT_TRUE(controller.report(report, now, out));
    }
    settle();
  }
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
    return taken;
  }
  Answer set(Trigger trigger, const Caller& caller = root()) {
    if (trigger.program.empty()) trigger.program = "/bin/prog -x";
    controller.set_trigger({1}, {trigger}, caller, now, out);
    return settle().replies.back().answer;
  }
  static std::string said(const Answer& answer) {
    const auto* failure = std::get_if<Failure>(&answer);
    return failure ? failure->text : "";
  }
  // What runs at the next tick, as "program argument…".
  std::vector<std::string> pulled(Duration later = std::chrono::seconds(1)) {
    now = now + later;
    controller.tick(now, out);
    std::vector<std::string> texts;
    for (const SideProgram& one : settle().side_programs) {
      std::string text = one.user_name + ":" + one.program;
      for (const std::string& argument : one.arguments) text += " " + argument;
      texts.push_back(text);
    }
    return texts;
  }
  JobId submit(const Caller& caller, std::uint32_t time_limit_s = 600) {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    submit.spec.time_limit_s = time_limit_s;
    controller.submit({2}, submit, caller, now, out);
    JobId job = std::get<SubmitAnswer>(settle().replies.back().answer).job;
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
    return job;
  }
  void cancel(JobId job) {
    controller.alter({3}, {.verb = JobVerb::Cancel, .filter = {.targets = {{.job = job}}}}, root(),
                     now, out);
    settle();
  }

  Instant now{1'700'000'000'000};
  Outbox out;
  Controller controller;
  Planner planner;
};

using Texts = std::vector<std::string>;

TEST_F(TriggerTest, AJobsEndRunsItsProgramOnce) {
  JobId job = submit(ada());
  EXPECT_EQ(said(set({.event = TriggerEvent::JobFini, .job = job}, ada())), "");
  EXPECT_EQ(pulled(), Texts{});
  cancel(job);
  EXPECT_EQ(pulled(), Texts{"ada:/bin/prog -x " + std::to_string(job.value)});
  EXPECT_EQ(pulled(), Texts{});
  EXPECT_TRUE(controller.state().triggers.empty());
}

TEST_F(TriggerTest, ATimeLimitIsWarnedOfBeforeItsEnd) {
  JobId job = submit(ada(), 200);
  set({.event = TriggerEvent::JobTime, .job = job, .offset_s = -60}, ada());
  EXPECT_EQ(pulled(std::chrono::seconds(130)), Texts{});
  EXPECT_EQ(pulled(std::chrono::seconds(11)).size(), 1u);
}

TEST_F(TriggerTest, ADrainedNodeRunsItAndAPermanentOneStays) {
  set({.event = TriggerEvent::NodeDrained, .nodes = "n2", .permanent = true});
  UpdateNodes drain{.nodes = "n[1-2]", .state = "DRAIN", .reason = "x"};
  controller.update_nodes({4}, drain, root(), now, out);
  settle();
  EXPECT_EQ(pulled(), Texts{"root:/bin/prog -x n2"});
  EXPECT_EQ(controller.state().triggers.size(), 1u);
}

TEST_F(TriggerTest, AnIdleNodeRunsItAfterAWhile) {
  JobId job = submit(ada());
  set({.event = TriggerEvent::NodeIdle, .offset_s = 30, .program = "/p"});
  now = now + std::chrono::seconds(100);
  EXPECT_EQ(pulled(), Texts{"root:/p n2"});  // the other one has been idle for long
  EXPECT_NE(job, JobId{});
}

// `place` is that of the controller which begins to lead, among the SlurmctldHost lines.
TEST_F(TriggerTest, WhoBeginsToLeadRunsThoseOfTheControllers) {
  struct Case {
    std::size_t place, controllers;
    Texts runs;
  };
  const Case cases[] = {
      {0, 1, {"root:/restarted"}},
      {0, 2, {"root:/restarted", "root:/primary-leads"}},
      {1, 2, {"root:/primary-failed", "root:/backup-leads"}},
  };
  set({.event = TriggerEvent::ControllerRestarted, .permanent = true, .program = "/restarted"});
  set({.event = TriggerEvent::PrimaryFailed, .permanent = true, .program = "/primary-failed"});
  set({.event = TriggerEvent::PrimaryLeads, .permanent = true, .program = "/primary-leads"});
  set({.event = TriggerEvent::BackupLeads, .permanent = true, .program = "/backup-leads"});
  for (const Case& one : cases) {
    ClusterConfig config = two_nodes();
    config.controllers.resize(one.controllers);
    Controller next(config, controller.state());
    Outbox said;
    next.begin_watch(now, said, one.place);
    next.tick(now + std::chrono::seconds(1), said);
    Texts ran;
    for (const SideProgram& program : said.side_programs)
      ran.push_back(program.user_name + ":" + program.program);
    EXPECT_THAT(ran, testing::UnorderedElementsAreArray(one.runs))
        << one.place << " of " << one.controllers;
  }
}

TEST_F(TriggerTest, OthersJobsAndNodesAreNotAnybodysBusiness) {
  JobId job = submit(ada());
  EXPECT_EQ(said(set({.event = TriggerEvent::JobFini, .job = job}, bob())),
            text_of(Errc::AccessDenied));
  EXPECT_EQ(said(set({.event = TriggerEvent::NodeDown}, bob())), text_of(Errc::AccessDenied));
  EXPECT_EQ(said(set({.event = TriggerEvent::JobFini, .job = {99}}, ada())),
            text_of(Errc::InvalidJobId));
  EXPECT_EQ(said(set({.event = TriggerEvent::JobFini, .job = job}, ada())), "");
  EXPECT_EQ(said(set({.event = TriggerEvent::JobFini, .job = job}, ada())),
            text_of(Errc::TriggerDup));
  controller.clear_triggers({5}, {.job = job}, bob(), now, out);
  EXPECT_EQ(said(settle().replies.back().answer), text_of(Errc::AccessDenied));
  controller.clear_triggers({5}, {.job = job}, ada(), now, out);
  EXPECT_TRUE(std::holds_alternative<Done>(settle().replies.back().answer));
}

TEST_F(TriggerTest, MailIsSentAtTheBeginAndTheEnd) {
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.name = "j";
  submit.spec.time_limit_s = 100;
  JobExtras extras;
  extras.mail_types = 0x1 | 0x4 | 0x80;  // BEGIN, FAIL, TIME_LIMIT_50
  extras.mail_user = "ada@example.org";
  submit.spec.extras = Ref(extras);
  controller.submit({2}, submit, ada(), now, out);
  settle();
  controller.commit(planner.plan(controller.state(), now, {}), now, out);
  Outbox begun = settle();
  ASSERT_EQ(begun.side_programs.size(), 1u);
  EXPECT_EQ(begun.side_programs[0].arguments,
            (Texts{"-s", "Slurm Job_id=1 Name=j Began, Queued time 00:00:00", "ada@example.org"}));
  EXPECT_EQ(pulled(std::chrono::seconds(49)), Texts{});
  EXPECT_EQ(pulled(std::chrono::seconds(2)),
            Texts{":/bin/mail -s Slurm Job_id=1 Name=j Reached 50% of time limit ada@example.org"});
  EXPECT_EQ(pulled(), Texts{});
  controller.alter({3}, {.verb = JobVerb::Cancel, .filter = {.targets = {{.job = {1}}}}}, root(),
                   now, out);
  Outbox ended = settle();
  ASSERT_EQ(ended.side_programs.size(), 1u);
  EXPECT_EQ(ended.side_programs[0].arguments[1].substr(0, 36),
            "Slurm Job_id=1 Name=j Failed, Run ti");
}

TEST_F(TriggerTest, MailTellsOfADependencyThatCannotComeTrue) {
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.name = "j";
  submit.spec.time_limit_s = 100;
  submit.hold = true;
  controller.submit({2}, submit, ada(), now, out);
  submit.hold = false;
  submit.dependency = "afterok:1";
  JobExtras extras;
  extras.mail_types = 0x400;  // INVALID_DEPEND
  submit.spec.extras = Ref(extras);
  controller.submit({3}, submit, ada(), now, out);
  EXPECT_TRUE(settle().side_programs.empty());
  controller.alter({4}, {.verb = JobVerb::Cancel, .filter = {.targets = {{.job = {1}}}}}, root(),
                   now, out);
  Outbox ended = settle();
  ASSERT_EQ(ended.side_programs.size(), 1u);
  EXPECT_EQ(ended.side_programs[0].arguments,
            (Texts{"-s", "Slurm Job_id=2 Name=j Invalid dependency", "ada"}));
}

SubmitJob cron_job(const std::string& time) {
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.time_limit_s = 60;
  JobSpecials specials;
  specials.cron = time;
  JobExtras extras;
  extras.specials = Ref(specials);
  submit.spec.extras = Ref(extras);
  return submit;
}

TEST_F(TriggerTest, ACrontabsJobComesBackAtItsNextTime) {
  UpdateCrontab update{.text = "* * * * * x\n", .jobs = {cron_job("* * * * *")}, .lines = {1}};
  controller.update_crontab({6}, update, ada(), now, out);
  auto done = std::get<CrontabUpdated>(settle().replies.back().answer);
  ASSERT_EQ(done.jobs.size(), 1u);
  JobId id = done.jobs[0];
  const Job* job = controller.state().find(id);
  ASSERT_TRUE(job);
  Instant first = job->eligible;
  EXPECT_EQ(first.unix_ms % 60'000, 0);
  EXPECT_GT(first, now);
  now = first;
  controller.commit(planner.plan(controller.state(), now, {}), now, out);
  settle();
  job = controller.state().find(id);
  ASSERT_EQ(job->state, JobState::Running);
  AttemptReport attempt{.job = id,
                        .sluid = job->sluid,
                        .phase = AttemptPhase::Clean,
                        .batch = true,
                        .batch_ended = true};
  std::string node = controller.state().find(job->allocation->nodes[0].node)->spec->name;
  NodeReport report{.node = node, .attempts = {attempt}};
  EXPECT_TRUE(controller.report(report, now, out));
  settle();
  job = controller.state().find(id);
  EXPECT_EQ(job->state, JobState::Pending);
  EXPECT_EQ(job->eligible, first + std::chrono::minutes(1));
  // A new crontab takes its place.
  controller.update_crontab({7}, {.text = ""}, ada(), now, out);
  settle();
  EXPECT_EQ(controller.state().find(id)->state, JobState::Cancelled);
  EXPECT_TRUE(controller.state().crontabs->empty());
}

TEST_F(TriggerTest, ACrontabsJobIsCancelledOnPurposeOnly) {
  std::string text = "# mine\n@daily one\nA=b\n@hourly two \\\n  more\n@weekly three\n";
  UpdateCrontab update{.text = text,
                       .jobs = {cron_job("@daily"), cron_job("@hourly"), cron_job("@weekly")},
                       .lines = {2, 5, 6}};
  controller.update_crontab({6}, update, ada(), now, out);
  auto done = std::get<CrontabUpdated>(settle().replies.back().answer);
  ASSERT_EQ(done.jobs.size(), 3u);
  auto cancel = [&](bool cron, bool by_name) {
    AlterJobs wish{.verb = JobVerb::Cancel, .cron = cron};
    if (by_name)
      wish.filter.users = {"ada"};
    else
      wish.filter.targets = {{.job = done.jobs[1]}};
    controller.alter({7}, wish, ada(), now, out);
    return std::get<AlterAnswer>(settle().replies.back().answer);
  };
  EXPECT_EQ(cancel(false, false).outcomes[0].text,
            "Cannot cancel scrontab jobs without --cron flag.");
  EXPECT_TRUE(cancel(false, true).outcomes.empty());
  EXPECT_EQ(cancel(true, false).outcomes[0].text, "");
  EXPECT_EQ(controller.state().find(done.jobs[1])->state, JobState::Cancelled);
  EXPECT_EQ(controller.state().find(done.jobs[2])->state, JobState::Pending);
  const Crontab& crontab = controller.state().crontabs->begin()->second;
  EXPECT_EQ(crontab.text,
            "# mine\n@daily one\nA=b\n#DISABLED: @hourly two \\\n#DISABLED:   more\n"
            "@weekly three\n");
  EXPECT_EQ(crontab.jobs, (std::vector{done.jobs[0], done.jobs[2]}));
}

TEST_F(TriggerTest, WhatWasDueWhileTheControllerWasAwayRunsAtItsStart) {
  JobId job = submit(ada());
  EXPECT_EQ(said(set({.event = TriggerEvent::JobFini, .job = job, .offset_s = 60}, ada())), "");
  EXPECT_EQ(said(set({.event = TriggerEvent::NodeDown, .nodes = "n2", .offset_s = 60})), "");
  EXPECT_EQ(said(set({.event = TriggerEvent::NodeDown, .nodes = "n1"})), "");
  EXPECT_EQ(said(set({.event = TriggerEvent::NodeDown,
                      .nodes = "n2",
                      .permanent = true,
                      .program = "/bin/always"})),
            "");
  now = now + std::chrono::seconds(1);
  controller.update_nodes({4}, {.nodes = "n2", .state = "DOWN", .reason = "x"}, root(), now, out);
  settle();
  EXPECT_EQ(pulled(), Texts{"root:/bin/always n2"});
  cancel(job);
  controller.update_nodes({4}, {.nodes = "n1", .state = "DRAIN", .reason = "x"}, root(), now, out);
  settle();
  now = now + std::chrono::minutes(5);
  Controller next(two_nodes(), State(controller.state()));
  EXPECT_TRUE(next.configure(two_nodes(), now, out));
  next.begin_watch(now, out);
  controller = std::move(next);
  settle();
  EXPECT_EQ(pulled(),
            (Texts{"ada:/bin/prog -x " + std::to_string(job.value), "root:/bin/prog -x n2"}));
  EXPECT_EQ(pulled(), Texts{});
}

TEST_F(TriggerTest, ACrontabIsRefusedAsAWhole) {
  SubmitJob impossible = cron_job("0 0 30 2 *");
  UpdateCrontab update{.text = "x", .jobs = {cron_job("@daily"), impossible}, .lines = {3, 5}};
  controller.update_crontab({6}, update, ada(), now, out);
  auto done = std::get<CrontabUpdated>(settle().replies.back().answer);
  EXPECT_EQ(done.failed_line, 5u);
  EXPECT_TRUE(controller.state().crontabs->empty());
  EXPECT_EQ(controller.state().jobs.size(), 0u);
}

}  // namespace
}  // namespace ym
