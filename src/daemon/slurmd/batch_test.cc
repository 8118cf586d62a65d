// SPDX-License-Identifier: Apache-2.0
// Batch jobs through a real slurmd and real shepherds.
#include "daemon/slurmd/node_harness.h"
#include "shepherd/record.h"

namespace ym {
namespace {

TEST_F(NodeTest, RegistersWithWhatTheConfigurationSays) {
  NodeReport report = controller_->wait_registered(1);
  EXPECT_EQ(report.node, "n1");
  EXPECT_EQ(report.registration.cpus, 7u);
  EXPECT_EQ(report.registration.memory_mb, 100u);
  EXPECT_TRUE(report.attempts.empty());
}

TEST_F(NodeTest, ABatchScriptRunsAsItsUserAndItsEndIsReported) {
  controller_->send(job(1,
                        "#!/bin/sh\nid -u\npwd\necho $SLURM_JOB_ID $SLURM_JOB_NODELIST "
                        "$SLURM_CPUS_ON_NODE $0\nexit 3\n"));
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_TRUE(report.batch);
  EXPECT_TRUE(report.batch_ended);
  EXPECT_EQ(report.exit.code, 3);
  EXPECT_EQ(report.error, "");
  std::string script = dir_ + "/spool-n1/attempts/job00001-00000000000003e8/slurm_script";
  EXPECT_EQ(output("slurm-1.out"),
            fmt::format("{}\n{}/home\n1 n1 2 {}\n", user_.uid, dir_, script));
  struct stat info{};
  ASSERT_EQ(::stat((dir_ + "/home/slurm-1.out").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, user_.uid);
  EXPECT_EQ(info.st_gid, user_.gid);

  controller_->send(ForgetAttempts{.attempts = {Sluid{1000}}});
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(script); }));
}

// As on a full disk: nothing of the job has run, so it is for another node, and this one says why.
TEST_F(NodeTest, AScriptThatTheSpoolDoesNotTakeIsNotTheJobsFailure) {
  std::filesystem::create_directories(
      dir_ + "/spool-n1/attempts/job00001-00000000000003e8/slurm_script/in_the_way");
  controller_->send(job(1, "#!/bin/sh\ntrue\n"));
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_TRUE(report.launch_failed);
  EXPECT_NE(report.error, "");
}

TEST_F(NodeTest, AnOrderThatComesTwiceRunsOnce) {
  LaunchJob order = job(1, "#!/bin/sh\necho once >>count\n");
  controller_->send(order);
  controller_->send(order);
  controller_->wait_clean(Sluid{1000});
  controller_->send(order);
  controller_->send(job(2, "#!/bin/sh\ntrue\n"));
  controller_->wait_clean(Sluid{2000});
  EXPECT_EQ(output("count"), "once\n");
}

TEST_F(NodeTest, OutputAndErrorsGoWhereTheyShould) {
  std::ofstream(dir_ + "/home/in") << "from a file\n";
  std::ofstream(dir_ + "/home/o-4-test") << "before\n";
  ASSERT_EQ(::chown((dir_ + "/home/o-4-test").c_str(), user_.uid, user_.gid), 0);
  controller_->send(job(4, "#!/bin/sh\ncat\necho out\necho err >&2\n", [&](JobSpec& spec) {
    spec.std_out = "o-%j-%x";
    spec.append_output = true;
    spec.extras = Ref<JobExtras>(JobExtras{.std_in = "in", .std_err = "e-%u"});
  }));
  controller_->wait_clean(Sluid{4000});
  EXPECT_EQ(output("o-4-test"), "before\nfrom a file\nout\n");
  EXPECT_EQ(output("e-" + user_.name), "err\n");
}

TEST_F(NodeTest, AScriptThatCannotBeExecutedSaysSoInItsOutput) {
  controller_->send(job(1, "#!/no/such/shell\n"));
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_EQ(report.exit.code, ENOENT);
  EXPECT_EQ(
      output("slurm-1.out"),
      "slurmstepd: error: execve(): bad interpreter(/no/such/shell): No such file or directory\n");
  controller_->send(job(2, "#!/bin/sh\r\necho\r\n"));
  controller_->wait_clean(Sluid{2000});
  EXPECT_NE(output("slurm-2.out").find("bad interpreter(/bin/sh\\x0d)"), std::string::npos)
      << output("slurm-2.out");
}

TEST_F(NodeTest, AMissingWorkingDirectoryIsReplacedAndNamed) {
  std::string gone = dir_ + "/gone", file = dir_ + "/home/out";
  controller_->send(job(1, "#!/bin/sh\npwd\n", [&](JobSpec& spec) {
    spec.work_dir = gone;
    spec.std_out = file;
  }));
  controller_->wait_clean(Sluid{1000});
  EXPECT_EQ(
      output("out"),
      fmt::format(
          "slurmstepd: error: couldn't chdir to `{}': No such file or directory: going to /tmp "
          "instead\n/tmp\n",
          gone));
}

TEST_F(NodeTest, AnOutputFileThatTheUserMayNotWriteFailsTheJob) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run a job of somebody else";
  controller_->send(
      job(1, "#!/bin/sh\ntrue\n", [&](JobSpec& spec) { spec.std_out = dir_ + "/root-only"; }));
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_NE(report.error.find("Could not open stdout file"), std::string::npos) << report.error;
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/root-only"));
}

TEST_F(NodeTest, AnUnknownUserFailsTheJob) {
  controller_->send(
      job(1, "#!/bin/sh\ntrue\n", [&](JobSpec& spec) { spec.uid = Uid{3999999999}; }));
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_NE(report.error.find("3999999999"), std::string::npos);
}

TEST_F(NodeTest, WhatTheScriptLeavesBehindIsKilledWithIt) {
  controller_->send(job(1,
                        "#!/bin/sh\n(setsid sh -c 'echo $$ >daemon; exec sleep 600' &)\nwhile ! "
                        "test -s daemon; do sleep 0.01; done\n"));
  controller_->wait_clean(Sluid{1000});
  EXPECT_FALSE(is_alive(pid_in("daemon")));
}

TEST_F(NodeTest, KillingAJobReachesThoseWhoHideAndThoseWhoRefuse) {
  controller_->send(job(1,
                        "#!/bin/sh\ntrap '' TERM\n(setsid sh -c 'trap \"\" TERM; echo $$ >daemon; "
                        "while :; do sleep 1; done' &)\n"
                        "echo $$ >shell\nwhile :; do sleep 1; done\n"));
  pid_t daemon = pid_in("daemon"), shell = pid_in("shell");
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(300)});
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_EQ(report.exit.signal, SIGKILL);
  EXPECT_FALSE(is_alive(daemon));
  EXPECT_FALSE(is_alive(shell));
}

TEST_F(NodeTest, ASignalForTheBatchShellIsCaughtByIt) {
  controller_->send(job(1,
                        "#!/bin/sh\ntrap 'echo caught; exit 9' USR1\necho $$ >shell\nwhile :; do "
                        "sleep 0.05; done\n"));
  pid_in("shell");
  controller_->send(
      SignalJob{.job = JobId{1}, .sluid = Sluid{1000}, .signal = SIGUSR1, .batch_only = true});
  EXPECT_EQ(controller_->wait_clean(Sluid{1000}).exit.code, 9);
  EXPECT_EQ(output("slurm-1.out"), "caught\n");
}

TEST_F(NodeTest, AJobOutlivesItsSlurmdAndIsFoundAgain) {
  controller_->send(
      job(1, "#!/bin/sh\necho $$ >shell\nwhile ! test -e go; do sleep 0.02; done\nexit 4\n"));
  pid_t shell = pid_in("shell");
  stop_slurmd(SIGKILL);
  EXPECT_TRUE(is_alive(shell));
  controller_->forget_reports();
  start_slurmd();
  NodeReport again = controller_->wait_registered(2);
  ASSERT_EQ(again.attempts.size(), 1u);
  EXPECT_EQ(again.attempts[0].phase, AttemptPhase::Running);
  std::ofstream(dir_ + "/home/go") << "\n";
  EXPECT_EQ(controller_->wait_clean(Sluid{1000}).exit.code, 4);
}

TEST_F(NodeTest, AJobThatEndedWithoutASlurmdIsReportedByTheNext) {
  controller_->send(
      job(1, "#!/bin/sh\necho $$ >shell\nwhile ! test -e go; do sleep 0.02; done\nexit 5\n"));
  pid_t shell = pid_in("shell");
  stop_slurmd(SIGKILL);
  std::ofstream(dir_ + "/home/go") << "\n";
  EXPECT_TRUE(eventually([&] {
    auto bytes = read_file(dir_ + "/spool-n1/attempts/job00001-00000000000003e8/batch.record");
    return bytes && decode_record(*bytes)->result;
  }));
  EXPECT_FALSE(is_alive(shell));
  controller_->forget_reports();
  start_slurmd();
  EXPECT_EQ(controller_->wait_clean(Sluid{1000}).exit.code, 5);
}

TEST_F(NodeTest, AJobThatHangsBeforeItsFirstLineCanBeKilled) {
  ASSERT_EQ(::mkfifo((dir_ + "/home/fifo").c_str(), 0666), 0);
  ASSERT_EQ(::chown((dir_ + "/home/fifo").c_str(), user_.uid, user_.gid), 0);
  controller_->send(job(1, "#!/bin/sh\ntrue\n", [](JobSpec& spec) { spec.std_out = "fifo"; }));
  controller_->wait_for(Sluid{1000}, [](const AttemptReport&) { return true; });
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(0)});
  controller_->wait_clean(Sluid{1000});
}

// Whenever slurmd dies, the controller repeats its order to the next one, and the job runs exactly
// once.
TEST_F(NodeTest, ASlurmdKilledAtAnyMomentNeverRunsAJobTwice) {
  for (std::uint32_t n = 1; n <= 12; ++n) {
    LaunchJob order = job(n, fmt::format("#!/bin/sh\necho {} >>count\nsleep 0.1\n", n));
    controller_->send(order);
    std::this_thread::sleep_for(std::chrono::microseconds(n * 1500));
    stop_slurmd(SIGKILL);
    start_slurmd();
    controller_->wait_registered(static_cast<int>(n) + 1);
    controller_->send(order);
    AttemptReport report = controller_->wait_clean(order.sluid);
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.exit.code, 0);
  }
  EXPECT_EQ(output("count"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
}

TEST_F(NodeTest, AJobWhoseShepherdIsKilledIsReportedAsLost) {
  controller_->send(job(1, "#!/bin/sh\necho $PPID >shepherd\nexec sleep 600\n"));
  pid_t shepherd = pid_in("shepherd");
  ::kill(shepherd, SIGKILL);
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_EQ(report.error, "shepherd lost");
  EXPECT_EQ(report.exit.signal, SIGKILL);
}

// Runs slurmd as a command; its exit code, and what it printed.
std::pair<int, std::string> run_slurmd(const std::string& arguments) {
  FILE* pipe = ::popen(fmt::format("{}/slurmd {} 2>&1", program_folder(), arguments).c_str(), "r");
  std::string text;
  char buffer[512];
  while (std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  int status = ::pclose(pipe);
  return {WEXITSTATUS(status), text};
}

TEST_F(NodeTest, ASecondSlurmdOfTheSameNodeIsRefused) {
  auto [code, text] = run_slurmd(fmt::format("-N n1 -f {}/slurm.conf", dir_));
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("slurmd: fatal: "), std::string::npos) << text;
}

TEST_F(NodeTest, GoesToTheBackgroundOnceItServes) {
  stop_slurmd(SIGTERM);
  auto [code, text] = run_slurmd(fmt::format("-N n1 -f {}/slurm.conf", dir_));
  EXPECT_EQ(code, 0) << text;
  EXPECT_EQ(text, "");
  controller_->wait_registered(2);
  auto pid = read_file(dir_ + "/slurmd-n1.pid");
  ASSERT_TRUE(pid);
  auto number = static_cast<pid_t>(*parse_u64(trim(*pid)));
  ::kill(number, SIGHUP);
  EXPECT_TRUE(eventually([&] {
    return read_file(dir_ + "/slurmd-n1.log")->find("configuration read again") !=
           std::string::npos;
  }));
  ::kill(number, SIGTERM);
  EXPECT_TRUE(eventually([&] { return !is_alive(number); }));
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/slurmd-n1.pid"));
}

TEST_F(NodeTest, AnUnknownNodeNameIsAnError) {
  auto [code, text] = run_slurmd(fmt::format("-N n9 -f {}/slurm.conf", dir_));
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("Unable to determine this slurmd's NodeName"), std::string::npos) << text;
}

TEST_F(NodeTest, StopsCleanlyAndLeavesJobsAlone) {
  controller_->send(job(1, "#!/bin/sh\necho $$ >shell\nexec sleep 600\n"));
  pid_t shell = pid_in("shell");
  int status = stop_slurmd(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(is_alive(shell));
  ::kill(shell, SIGKILL);
  EXPECT_TRUE(eventually([&] {
    auto bytes = read_file(dir_ + "/spool-n1/attempts/job00001-00000000000003e8/batch.record");
    return bytes && decode_record(*bytes)->result;
  }));
}

}  // namespace
}  // namespace ym
