// SPDX-License-Identifier: Apache-2.0
// Steps through a real slurmd and real shepherds.
#include "daemon/slurmd/node_harness.h"

namespace ym {
namespace {

TEST_F(NodeTest, AStepEchoesItsInputAndTellsHowItEnded) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"cat"}));
  send(client, TaskInput{.data = "hello\n"});
  Seen seen;
  read_until(client, seen, [](const Seen& so_far) {
    return so_far.out.contains(0) && so_far.out.at(0) == "hello\n";
  });
  send(client, TaskInput{.end = true});
  read_until(client, seen, never);
  EXPECT_TRUE(seen.over);
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.exits[0], (ExitStatus{0, 0}));
  {
    Client gone = std::move(client);
  }
  EXPECT_EQ(controller_->wait_step(StepId{0}).exit.code, 0);
}

TEST_F(NodeTest, TasksKnowTheirNumbersAndEndEachInItsOwnWay) {
  Client client = srun();
  send(client,
       launch(credential(1, 0, 3),
              {"sh", "-c", "echo $SLURM_PROCID of $SLURM_NTASKS; id -u >&2; exit $SLURM_PROCID"}));
  Seen seen;
  read_until(client, seen, never);
  for (std::uint32_t task = 0; task < 3; ++task) {
    EXPECT_EQ(seen.out[task], fmt::format("{} of 3\n", task));
    EXPECT_EQ(seen.err[task], fmt::format("{}\n", user_.uid));
    EXPECT_EQ(seen.exits[task].code, task);
  }
  {
    Client gone = std::move(client);
  }
  EXPECT_EQ(controller_->wait_step(StepId{0}).exit.code, 2);
}

TEST_F(NodeTest, ALotOfOutputArrivesWhole) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"head", "-c", "20000000", "/dev/zero"}));
  Seen seen;
  read_until(client, seen, never);
  EXPECT_EQ(seen.out[0].size(), 20'000'000u);
}

TEST_F(NodeTest, ALostConnectionIsTakenUpAgain) {
  Seen seen;
  {
    Client client = srun();
    send(client, launch(credential(1, 0, 1),
                        {"sh", "-c",
                         "echo one; while ! test -e go; do sleep 0.02; done; echo two; exit 6"}));
    read_until(client, seen, [](const Seen& so_far) {
      return so_far.out.contains(0) && so_far.out.at(0) == "one\n";
    });
  }
  std::ofstream(dir_ + "/home/go") << "\n";
  Client again = srun();
  send(again,
       ResumeStream{
           .job = JobId{1}, .step = StepId{0}, .srun_id = "the srun", .received = seen.received});
  read_until(again, seen, never);
  EXPECT_EQ(seen.out[0], "one\ntwo\n");
  EXPECT_EQ(seen.exits[0].code, 6);
}

TEST_F(NodeTest, AStepOutlivesItsSlurmdAndItsStreamGoesOn) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"cat"}));
  send(client, TaskInput{.data = "a"});
  Seen seen;
  read_until(client, seen, [](const Seen& so_far) { return so_far.out.contains(0); });
  stop_slurmd(SIGKILL);
  start_slurmd();
  controller_->wait_registered(2);
  send(client, TaskInput{.data = "b", .end = true});
  read_until(client, seen, never);
  EXPECT_EQ(seen.out[0], "ab");
}

TEST_F(NodeTest, AnotherSrunMayNotTakeAStepOver) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"cat"}));
  Seen mine;
  read_until(client, mine, [](const Seen& so_far) { return so_far.received >= 1; });
  Client thief = srun();
  send(thief, ResumeStream{.job = JobId{1}, .step = StepId{0}, .srun_id = "another"});
  Seen seen;
  read_until(thief, seen, never);
  EXPECT_EQ(seen.error, "the step belongs to another srun");
  send(client, TaskInput{.end = true});
  read_until(client, mine, never);
  EXPECT_TRUE(mine.over);
}

TEST_F(NodeTest, SignalsFromSrunReachTheTasks) {
  Client client = srun();
  send(client, launch(credential(1, 0, 2), {"sleep", "600"}));
  Seen seen;
  read_until(client, seen, [](const Seen& so_far) { return so_far.received >= 1; });
  send(client, SignalTasks{.signal = SIGINT});
  read_until(client, seen, never);
  EXPECT_EQ(seen.exits[0].signal, SIGINT);
  EXPECT_EQ(seen.exits[1].signal, SIGINT);
}

TEST_F(NodeTest, AStepIsKilledWithItsJob) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"sleep", "600"}));
  controller_->wait_for(Sluid{1000}, [](const AttemptReport&) { return true; });
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(200)});
  Seen seen;
  read_until(client, seen, never);
  EXPECT_EQ(seen.exits[0].signal, SIGTERM);
  {
    Client gone = std::move(client);
  }
  controller_->wait_clean(Sluid{1000});
}

TEST_F(NodeTest, AProgramThatIsNotThereIsNamed) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"no-such-program"}));
  Seen seen;
  read_until(client, seen, never);
  EXPECT_EQ(seen.err[0],
            "slurmstepd: error: execve(): no-such-program: No such file or directory\n");
  EXPECT_EQ(seen.exits[0].code, ENOENT);
}

TEST_F(NodeTest, ATerminalIsATerminal) {
  Client client = srun();
  LaunchTasks request =
      launch(credential(1, 0, 1), {"sh", "-c", "test -t 0 && test -t 1 && stty size"});
  request.pty = true;
  request.rows = 33;
  request.columns = 77;
  send(client, request);
  Seen seen;
  read_until(client, seen, never);
  EXPECT_EQ(seen.out[0], "33 77\r\n");
  EXPECT_EQ(seen.exits[0].code, 0);
}

std::string refusal(Client client) {
  auto frame = client.receive(kTestPatience);
  EXPECT_TRUE(frame);
  auto over = frame ? wire::decode<StepOver>(frame->payload) : fail("nothing");
  return over ? over->error : over.error().text;
}

TEST_F(NodeTest, ACredentialIsNeededAndServesOnce) {
  LaunchTasks forged = launch(credential(1, 0, 1), {"true"});
  forged.signature[0] = static_cast<char>(forged.signature[0] ^ 1);
  Client forger = srun();
  send(forger, forged);
  EXPECT_EQ(refusal(std::move(forger)), "Invalid job credential");

  StepCredential late = credential(1, 0, 1);
  late.expires = wall_clock() - std::chrono::minutes(2);
  Client sluggard = srun();
  send(sluggard, launch(late, {"true"}));
  EXPECT_EQ(refusal(std::move(sluggard)), "Job credential expired");

  StepCredential elsewhere = credential(1, 0, 1);
  elsewhere.node_names = {"n2"};
  Client stray = srun();
  send(stray, launch(elsewhere, {"true"}));
  EXPECT_EQ(refusal(std::move(stray)), "Job credential is not for node n1");

  Client first = srun();
  send(first, launch(credential(1, 0, 1), {"true"}));
  Seen seen;
  read_until(first, seen, never);
  EXPECT_EQ(seen.error, "");
  Client second = srun();
  send(second, launch(credential(1, 0, 1), {"true"}));
  EXPECT_NE(refusal(std::move(second)).find("replayed"), std::string::npos);
}

TEST_F(NodeTest, APingIsAnswered) {
  Client client = srun();
  auto answer = client.call(wire::message_number<Ping>, wire::encode(Ping{}), kTestPatience);
  ASSERT_TRUE(answer);
  EXPECT_EQ(wire::decode<Pong>(answer->payload)->mode, "slurmd");
}

}  // namespace
}  // namespace ym
