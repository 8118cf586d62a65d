// SPDX-License-Identifier: Apache-2.0
#include "shepherd/pmi1.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace ym {
namespace {

std::vector<StepShare> two_nodes() {
  return {{.first_task = 0, .tasks = 2}, {.first_task = 2, .tasks = 2}};
}

std::string ask(Pmi1Server& server, std::size_t local, const std::string& line) {
  server.feed(local, line + "\n");
  return server.take_reply(local);
}

TEST(Pmi1, AProcessLearnsWhereItIs) {
  Pmi1Server server("job.7", two_nodes(), 1);
  EXPECT_EQ(ask(server, 0, "cmd=init pmi_version=1 pmi_subversion=1"),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(ask(server, 0, "cmd=get_maxes"),
            "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
  EXPECT_EQ(ask(server, 0, "cmd=get_appnum"), "cmd=appnum appnum=0\n");
  EXPECT_EQ(ask(server, 0, "cmd=get_my_kvsname"), "cmd=my_kvsname kvsname=job.7\n");
  EXPECT_EQ(ask(server, 0, "cmd=get_universe_size"), "cmd=universe_size size=4\n");
  EXPECT_EQ(ask(server, 1, "cmd=get kvsname=job.7 key=PMI_process_mapping"),
            "cmd=get_result rc=0 msg=success value=(vector,(0,2,2))\n");
  EXPECT_EQ(ask(server, 1, "cmd=finalize"), "cmd=finalize_ack\n");
}

TEST(Pmi1, KeysCrossTheNodesWithABarrier) {
  Pmi1Server first("k", two_nodes(), 0), second("k", two_nodes(), 1);
  EXPECT_EQ(ask(first, 0, "cmd=put kvsname=k key=a value=host0#1$"),
            "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(ask(first, 1, "cmd=get kvsname=k key=a"),
            "cmd=get_result rc=0 msg=success value=host0#1$\n");
  EXPECT_EQ(ask(second, 0, "cmd=get kvsname=k key=a"),
            "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
  EXPECT_EQ(ask(first, 0, "cmd=barrier_in"), "");
  EXPECT_FALSE(first.take_fence());
  EXPECT_EQ(ask(first, 1, "cmd=barrier_in"), "");
  auto part = first.take_fence();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->key, "pmi1:0");
  EXPECT_FALSE(first.take_fence()) << "said once";
  EXPECT_TRUE(first.waiting_fence());
  ask(second, 0, "cmd=barrier_in");
  ask(second, 1, "cmd=barrier_in");
  auto other = second.take_fence();
  ASSERT_TRUE(other);
  StepFence all{.key = "pmi1:0", .data = part->data + other->data};
  first.finish_fence(all);
  second.finish_fence(all);
  second.finish_fence(all);
  EXPECT_EQ(first.take_reply(1), "cmd=barrier_out\n");
  EXPECT_EQ(second.take_reply(0), "cmd=barrier_out\n");
  EXPECT_EQ(ask(second, 0, "cmd=get kvsname=k key=a"),
            "cmd=get_result rc=0 msg=success value=host0#1$\n");
}

TEST(Pmi1, ANodeAloneNeedsNobodyForItsBarrier) {
  Pmi1Server server("k", {{.first_task = 0, .tasks = 2}}, 0);
  ask(server, 0, "cmd=barrier_in");
  EXPECT_EQ(ask(server, 1, "cmd=barrier_in"), "cmd=barrier_out\n");
  EXPECT_EQ(server.take_reply(0), "cmd=barrier_out\n");
  EXPECT_FALSE(server.take_fence());
}

TEST(Pmi1, LinesComeInAnyPieces) {
  Pmi1Server server("k", {{.first_task = 0, .tasks = 1}}, 0);
  server.feed(0, "cmd=get_a");
  EXPECT_EQ(server.take_reply(0), "");
  server.feed(0, "ppnum\ncmd=fin");
  server.feed(0, "alize\n");
  EXPECT_EQ(server.take_reply(0), "cmd=appnum appnum=0\ncmd=finalize_ack\n");
}

TEST(Pmi1, AnAbortIsToldOnce) {
  Pmi1Server server("k", two_nodes(), 1);
  ask(server, 1, "cmd=abort exitcode=5");
  ask(server, 0, "cmd=abort exitcode=6");
  auto abort = server.take_abort();
  ASSERT_TRUE(abort);
  EXPECT_EQ(abort->task, 3u);
  EXPECT_EQ(abort->status, 5);
  EXPECT_FALSE(server.take_abort());
}

TEST(Pmi1, WhatIsTooMuchOrMakesNoSenseIsRefused) {
  Pmi1Server server("k", two_nodes(), 0);
  EXPECT_EQ(ask(server, 0, "cmd=put kvsname=k key=" + std::string(65, 'x') + " value=v"),
            "cmd=put_result rc=-1 msg=bad_key\n");
  EXPECT_EQ(ask(server, 0, "cmd=put kvsname=k key=x value=" + std::string(1025, 'v')),
            "cmd=put_result rc=-1 msg=value_too_long\n");
  EXPECT_EQ(ask(server, 0, "mcmd=spawn\nnprocs=2\nendcmd"),
            "cmd=spawn_result rc=-1 msg=not_supported\n");
  EXPECT_FALSE(server.broken(0));
  ask(server, 0, "cmd=dance");
  EXPECT_TRUE(server.broken(0));
  server.feed(1, std::string(Pmi1Server::kLineMax + 1, 'x'));
  EXPECT_TRUE(server.broken(1));
}

TEST(Pmi1, TheMappingTellsBlocksOfNodes) {
  EXPECT_EQ(process_mapping(two_nodes()), "(vector,(0,2,2))");
  EXPECT_EQ(process_mapping({{.first_task = 0, .tasks = 3}, {.first_task = 3, .tasks = 1}}),
            "(vector,(0,1,3),(1,1,1))");
  EXPECT_EQ(process_mapping({{.tasks = 2, .ranks = {0, 2}}, {.tasks = 2, .ranks = {1, 3}}}),
            "(vector,(0,2,1),(0,2,1))");
}

}  // namespace
}  // namespace ym
