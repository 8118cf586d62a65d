// SPDX-License-Identifier: Apache-2.0
// Orders down a tree, at one node of it: a real slurmd and real shepherds.
#include "daemon/slurmd/tree.h"

#include <atomic>

#include "daemon/slurmd/node_harness.h"

namespace ym {
namespace {

class TreeTest : public NodeTest {
 protected:
  template <class T>
  TreeOrder order(const T& message) {
    TreeOrder one{.type = wire::message_number<T>, .payload = wire::encode(message), .forward = {}};
    one.budget_ms = 5000;
    return one;
  }
  static TreeAnswers give(Client& client, const TreeOrder& order) {
    auto frame = client.call(wire::message_number<TreeOrder>, wire::encode(order), kTestPatience);
    EXPECT_TRUE(frame) << frame.error().text;
    auto answers = frame ? wire::decode<TreeAnswers>(frame->payload) : fail("no answer");
    EXPECT_TRUE(answers);
    return answers ? *answers : TreeAnswers{};
  }
  std::string error_of(Client client, const TreeOrder& order) {
    TreeAnswers answers = give(client, order);
    EXPECT_EQ(answers.rows.size(), 1u);
    return answers.rows.empty() ? "no row" : answers.rows[0].error;
  }
  // Over TCP, as whom the token says.
  Client by_token(std::uint32_t uid, const std::string& kind) {
    std::string conf = *read_file(dir_ + "/slurm.conf");
    std::string digits = conf.substr(conf.find(" Port=") + 6);
    auto port = static_cast<std::uint16_t>(std::stoi(digits));
    auto key = ClusterKey::from_bytes(*read_file(dir_ + "/slurm.key"));
    Instant now = wall_clock();
    auto token = sign_token(*key,
                            {.uid = uid,
                             .gid = uid,
                             .issued = now,
                             .expires = now + std::chrono::minutes(5),
                             .audience = "straw",
                             .kind = kind},
                            system_entropy());
    EXPECT_TRUE(token);
    auto client =
        Client::begin({.host = "127.0.0.1", .port = port}, {.cluster = "straw", .token = *token});
    EXPECT_TRUE(client) << client.error().text;
    return std::move(*client);
  }
  static constexpr std::uint32_t kSomebody = 12345;
};

TEST_F(TreeTest, AQuestionIsAnsweredAndANodeThatIsNotThereIsNamed) {
  TreeOrder ping = order(Ping{});
  NodeAddress dead, stranger;
  dead.name = "n2";
  stranger.name = "../n3";
  ping.forward = {dead, stranger};
  Client client = srun();
  TreeAnswers answers = give(client, ping);
  ASSERT_EQ(answers.rows.size(), 3u);
  std::map<std::string, TreeAnswer> rows;
  for (const TreeAnswer& row : answers.rows) rows[row.node] = row;
  EXPECT_EQ(rows["n1"].error, "");
  EXPECT_EQ(wire::decode<Pong>(rows["n1"].payload)->mode, "slurmd");
  EXPECT_NE(rows["n2"].error.find("refused"), std::string::npos) << rows["n2"].error;
  EXPECT_NE(rows["../n3"].error.find("has no node"), std::string::npos) << rows["../n3"].error;
}

// Whoever listens there would get a token that proves to be a node.
TEST_F(TreeTest, AnAddressInAnOrderIsNotDialled) {
  std::atomic<bool> dialled = false;
  ServerHandlers handlers;
  handlers.on_open = [&](ConnectionId, const Peer&) { dialled = true; };
  Server thief({.cluster = "straw",
                .authenticate = [&](std::string_view, std::string_view) -> Result<Peer> {
                  dialled = true;
                  return Peer{};
                }},
               std::move(handlers));
  NodeAddress bait;
  bait.name = "n2";
  bait.address = "127.0.0.1";
  bait.port = *thief.listen_tcp("127.0.0.1", 0);
  TreeOrder ping = order(Ping{});
  ping.forward = {bait};
  Client client = by_token(kSomebody, "user");
  EXPECT_EQ(give(client, ping).rows.size(), 2u);
  EXPECT_FALSE(dialled);
}

TEST_F(TreeTest, WhatIsNoOrderIsRefused) {
  EXPECT_NE(error_of(srun(), order(Shutdown{})).find("knows no order"), std::string::npos);
}

TEST_F(TreeTest, OnlyThoseWhoMayActForOthersAreBelievedForWhomTheyAsk) {
  TreeOrder kill = order(KillJob{.job = JobId{1}, .sluid = Sluid{1000}});
  EXPECT_EQ(error_of(by_token(kSomebody, "user"), kill), "Access/permission denied");
  kill.uid = Uid{0};
  EXPECT_EQ(error_of(by_token(kSomebody, "user"), kill), "Access/permission denied");
  // Another slurmd passes on what a user asked, or what the controller did.
  kill.uid = Uid{kSomebody};
  EXPECT_EQ(error_of(by_token(::geteuid(), "node"), kill), "Access/permission denied");
  kill.uid = Uid{0};
  EXPECT_EQ(error_of(by_token(kSomebody, "node"), kill), "");
}

TEST_F(TreeTest, AStreamThatComesBeforeItsLaunchWaitsForIt) {
  Client stream = srun();
  ResumeStream attach{.job = JobId{1}, .step = StepId{0}, .srun_id = "the srun"};
  attach.await_launch = true;
  send(stream, attach);
  ASSERT_TRUE(stream.finish_handshake(kTestPatience));
  EXPECT_EQ(error_of(srun(), order(launch(credential(1, 0, 1), {"cat"}))), "");
  send(stream, TaskInput{.data = "hello\n", .end = true});
  Seen seen;
  read_until(stream, seen, never);
  EXPECT_EQ(seen.out[0], "hello\n");
  EXPECT_EQ(seen.error, "");
}

TEST_F(TreeTest, AStreamThatComesAfterItsLaunchFindsIt) {
  EXPECT_EQ(error_of(srun(), order(launch(credential(1, 0, 1), {"sh", "-c", "echo early"}))), "");
  Client stream = srun();
  ResumeStream attach{.job = JobId{1}, .step = StepId{0}, .srun_id = "the srun"};
  attach.await_launch = true;
  send(stream, attach);
  Seen seen;
  read_until(stream, seen, never);
  EXPECT_EQ(seen.out[0], "early\n");
  EXPECT_EQ(seen.exits[0].code, 0);
}

TEST_F(TreeTest, AnotherSrunsStreamDoesNotGetTheStep) {
  EXPECT_EQ(error_of(srun(), order(launch(credential(1, 0, 1), {"sleep", "60"}))), "");
  Client thief = srun();
  ResumeStream attach{.job = JobId{1}, .step = StepId{0}, .srun_id = "another"};
  attach.await_launch = true;
  send(thief, attach);
  Seen seen;
  read_until(thief, seen, never);
  EXPECT_EQ(seen.error, "the step belongs to another srun");
}

TEST_F(TreeTest, AnOrderThatComesTwiceIsDoneOnce) {
  TreeOrder twice = order(launch(credential(1, 0, 1), {"true"}));
  twice.id = 77;
  EXPECT_EQ(error_of(srun(), twice), "");
  EXPECT_EQ(error_of(srun(), twice), "");
  twice.id = 78;
  EXPECT_NE(error_of(srun(), twice).find("replayed"), std::string::npos);
}

TEST_F(TreeTest, AStepIsSignalledByItsUserOnly) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"sleep", "600"}));
  Seen seen;
  read_until(client, seen, [](const Seen& so_far) { return so_far.received >= 1; });
  TreeOrder order = this->order(SignalStep{.job = JobId{1}, .step = StepId{0}, .signal = SIGINT});
  EXPECT_EQ(error_of(by_token(kSomebody, "user"), order), "Access/permission denied");
  EXPECT_EQ(error_of(by_token(user_.uid, "user"), order), "");
  read_until(client, seen, never);
  EXPECT_EQ(seen.exits[0].signal, SIGINT);
  EXPECT_EQ(error_of(srun(), this->order(SignalStep{.job = JobId{9}})), "the step is over");
}

TEST(TreeAnswers, TooMuchForOneMessageIsSaidSo) {
  TreeAnswers answers{.rows = {{.node = "n1", .type = 7, .payload = std::string(1000, 'x')},
                               {.node = "n2", .error = "away"}}};
  EXPECT_EQ(wire::decode<TreeAnswers>(encode_answers(answers, 2000))->rows[0].payload.size(),
            1000u);
  auto less = wire::decode<TreeAnswers>(encode_answers(answers, 500));
  ASSERT_EQ(less->rows.size(), 2u);
  EXPECT_NE(less->rows[0].error.find("too much"), std::string::npos);
  EXPECT_EQ(less->rows[1].error, "away");
}

TEST(DoneOrders, TheLastOnesAreRememberedWithTheirErrors) {
  DoneOrders orders;
  EXPECT_EQ(orders.find(5), nullptr);
  orders.add(5, "no");
  orders.add(5, "other");
  ASSERT_NE(orders.find(5), nullptr);
  EXPECT_EQ(*orders.find(5), "no");
  for (std::uint64_t id = 10; id < 10 + 4096; ++id) orders.add(id, {});
  EXPECT_EQ(orders.find(5), nullptr);
  EXPECT_NE(orders.find(4000), nullptr);
  orders.add(0, "nothing has no number");
  EXPECT_EQ(orders.find(0), nullptr);
}

}  // namespace
}  // namespace ym
