// SPDX-License-Identifier: Apache-2.0
// slurmd without root's rights: no cgroups, no other users; everything else the same.
#include "daemon/slurmd/node_harness.h"

namespace ym {
namespace {

class PersonalNodeTest : public NodeTest {
 protected:
  bool as_user() const override { return true; }
};

TEST_F(PersonalNodeTest, RunsTheJobsOfItsUser) {
  controller_->send(job(1, "#!/bin/sh\nid -u\nexit 3\n"));
  EXPECT_EQ(controller_->wait_clean(Sluid{1000}).exit.code, 3);
  EXPECT_EQ(output("slurm-1.out"), fmt::format("{}\n", user_.uid));
}

TEST_F(PersonalNodeTest, RefusesTheJobsOfOthers) {
  controller_->send(job(1, "#!/bin/sh\ntrue\n",
                        [&](JobSpec& spec) { spec.uid = Uid{user_.uid == 0 ? 65534 : 0u}; }));
  AttemptReport report = controller_->wait_clean(Sluid{1000});
  EXPECT_NE(report.error.find("cannot run a job of"), std::string::npos) << report.error;
}

TEST_F(PersonalNodeTest, FindsThoseWhoHideWithoutTheHelpOfCgroups) {
  controller_->send(job(1,
                        "#!/bin/sh\ntrap '' TERM\n(setsid sh -c 'trap \"\" TERM; (sleep 600 & echo "
                        "$! >inner); echo $$ >daemon; while :; do "
                        "sleep 1; done' &)\necho $$ >shell\nwhile :; do sleep 1; done\n"));
  pid_t daemon = pid_in("daemon"), shell = pid_in("shell"), inner = pid_in("inner");
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(100)});
  EXPECT_EQ(controller_->wait_clean(Sluid{1000}).exit.signal, SIGKILL);
  EXPECT_FALSE(is_alive(daemon));
  EXPECT_FALSE(is_alive(shell));
  EXPECT_FALSE(is_alive(inner));
}

TEST_F(PersonalNodeTest, StreamsSteps) {
  Client client = srun();
  send(client, launch(credential(1, 0, 2), {"cat"}));
  send(client, TaskInput{.data = "x", .end = true});
  Seen seen;
  read_until(client, seen, never);
  EXPECT_EQ(seen.out[0], "x");
  EXPECT_EQ(seen.out[1], "x");
}

}  // namespace
}  // namespace ym
