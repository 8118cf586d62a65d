// SPDX-License-Identifier: Apache-2.0
#include "net/admission.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "net/test_room.h"

namespace ym {
namespace {

using testing::HasSubstr;

Peer at(std::string address) { return {.kind = PeerKind::Token, .address = std::move(address)}; }

// At the door, with ids that grow.
class AdmissionTest : public testing::Test {
 protected:
  static constexpr Duration kLong = std::chrono::hours(1);
  std::uint64_t last_ = 0;
  Result<Admission::Entrance> knock(Admission& admission, const Peer& peer) {
    return admission.knock(peer, {++last_});
  }
};

TEST_F(AdmissionTest, LimitsWhoHasNotSaidHelloByAddressAndByUser) {
  Admission admission({.unknown_of_one_max = 2, .hello_grace = kLong});
  auto first = knock(admission, at("10.0.0.7:4711"));
  ASSERT_TRUE(first);
  ASSERT_TRUE(knock(admission, at("10.0.0.7:4712")));
  auto third = knock(admission, at("10.0.0.7:4713"));
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().text, HasSubstr("from 10.0.0.7 wait for authentication"));
  EXPECT_TRUE(knock(admission, at("10.0.0.8:4713"))) << "others are not concerned";
  admission.leave(first->place);
  EXPECT_TRUE(knock(admission, at("10.0.0.7:4713")));

  Peer ada{.kind = PeerKind::Unix, .uid = 1000}, root{.kind = PeerKind::Unix, .uid = 0};
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(knock(admission, ada));
  EXPECT_FALSE(knock(admission, ada));
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(knock(admission, root));
}

TEST_F(AdmissionTest, AnOriginIsAnAddressOrANetworkThatOneMachineHas) {
  EXPECT_EQ(Admission::origin_of(at("10.0.0.7:4711")), "10.0.0.7");
  EXPECT_EQ(Admission::origin_of(at("[::ffff:10.0.0.7]:4711")), "10.0.0.7");
  EXPECT_EQ(Admission::origin_of(at("[2001:db8:1:2:3:4:5:6]:4711")), "2001:db8:1:2::/64");
  EXPECT_EQ(Admission::origin_of(at("[2001:db8:1:2:7::]:1")), "2001:db8:1:2::/64");
  EXPECT_EQ(Admission::origin_of(at("[2001:db8:1:3::1]:1")), "2001:db8:1:3::/64");
  EXPECT_EQ(Admission::origin_of({.kind = PeerKind::Unix, .uid = 7}), "uid 7");
}

TEST_F(AdmissionTest, WhoHoldsMostMakesRoomTheOldestFirst) {
  Admission admission({.unknown_max = 6, .hello_grace = kLong});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(knock(admission, at("10.0.0.1:1")));  // 1, 2
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(knock(admission, at("10.0.0.2:1")));  // 3 to 6
  auto other = knock(admission, at("10.0.0.3:1"));
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_EQ(other->instead_of.value, 3u);
  EXPECT_EQ(knock(admission, at("10.0.0.4:1"))->instead_of.value, 4u);
  // Two, two, one and one: nobody has more than he would have then.
  EXPECT_FALSE(knock(admission, at("10.0.0.3:1")));
  EXPECT_TRUE(knock(admission, {.kind = PeerKind::Unix, .uid = 1000})) << "another door";
  admission.leave(other->place);
  EXPECT_FALSE(knock(admission, at("10.0.0.5:1"))->instead_of);
}

TEST_F(AdmissionTest, WhoIsSilentForLongMakesRoomForAnybody) {
  Admission admission({.unknown_max = 3, .unknown_of_one_max = 2, .hello_grace = Duration{0}});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(knock(admission, at("10.0.0.1:1")));  // 1, 2
  EXPECT_EQ(knock(admission, at("10.0.0.1:1"))->instead_of.value, 1u);          // 3
  ASSERT_TRUE(knock(admission, at("10.0.0.2:1")));                              // 4
  EXPECT_EQ(knock(admission, at("10.0.0.3:1"))->instead_of.value, 2u);
  EXPECT_EQ(knock(admission, at("10.0.0.4:1"))->instead_of.value, 3u) << "the oldest of equals";
}

TEST_F(AdmissionTest, WhoSaysHelloWhileHeIsSentAwayIsCountedOnce) {
  Admission admission({.unknown_max = 2, .hello_grace = kLong});
  auto first = knock(admission, at("10.0.0.1:1"));
  ASSERT_TRUE(knock(admission, at("10.0.0.1:1")));
  EXPECT_EQ(knock(admission, at("10.0.0.2:1"))->instead_of.value, 1u);
  EXPECT_TRUE(admission.enter(first->place, 1000, false));
  admission.leave(first->place);
  EXPECT_FALSE(knock(admission, at("10.0.0.3:1"))) << "both places are taken as before";
}

TEST_F(AdmissionTest, CountsAConnectionAsItsUsersOnceHeIsKnown) {
  Admission admission({.unknown_of_one_max = 1, .connections_of_one_max = 2, .hello_grace = kLong});
  Admission::Place places[3];
  for (auto& place : places) {
    auto knocked = knock(admission, at("10.0.0.7:1"));
    ASSERT_TRUE(knocked);
    place = knocked->place;
    if (&place == &places[2]) break;
    EXPECT_TRUE(admission.enter(place, 1000, false));
  }
  Status third = admission.enter(places[2], 1000, false);
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().text, HasSubstr("uid 1000 has too many connections"));
  EXPECT_FALSE(knock(admission, at("10.0.0.7:1"))) << "the refused one still waits at the door";
  admission.leave(places[2]);
  auto node = knock(admission, at("10.0.0.7:1"));
  ASSERT_TRUE(node);
  EXPECT_TRUE(admission.enter(node->place, 1000, true)) << "trusted ones are not limited";
}

TEST_F(AdmissionTest, UsersTogetherLeaveConnectionsToThoseWhoAreTrusted) {
  Admission admission({.connections_of_one_max = 2, .connections_of_users_max = 3});
  auto enter = [&](std::uint32_t uid, bool trusted) {
    auto place = knock(admission, at("10.0.0.7:1")).value().place;
    Status in = admission.enter(place, uid, trusted);
    if (!in) admission.leave(place);
    return in ? Result<Admission::Place>(place) : std::unexpected(in.error());
  };
  auto first = enter(1000, false);
  ASSERT_TRUE(first);
  ASSERT_TRUE(enter(1000, false));
  ASSERT_TRUE(enter(1001, false));
  EXPECT_THAT(enter(1002, false).error().text, HasSubstr("users have too many connections"));
  auto node = enter(0, true);
  ASSERT_TRUE(node);
  admission.leave(*node);
  EXPECT_FALSE(enter(1002, false)) << "a node's place was not a user's";
  admission.leave(*first);
  EXPECT_TRUE(enter(1002, false));
}

TEST(Admission, SharesOfFewConnectionsLeaveSomeToOthers) {
  for (std::size_t connections : {connections_within(1024), connections_within(0)}) {
    AdmissionLimits limits = shares_of(connections, {});
    EXPECT_LE(limits.connections_of_one_max, connections / 4);
    EXPECT_LE(limits.unknown_of_one_max, limits.unknown_max / 2);
    EXPECT_LE(limits.connections_of_users_max + 2 * limits.unknown_max, connections * 7 / 8);
  }
  EXPECT_EQ(connections_within(1024), 768u);
  EXPECT_EQ(shares_of(20'000, {}).connections_of_one_max, 5000u);
  EXPECT_EQ(shares_of(20'000, {.connections_of_one_max = 3}).connections_of_one_max, 3u);
  EXPECT_EQ(shares_of(2, {}).unknown_max, 1u) << "nobody's share is nothing";
}

TEST_F(AdmissionTest, BoundsTheBytesOfUnfinishedMessages) {
  constexpr std::size_t kMega = 1 << 20;
  Admission admission({.unfinished_max = 10 * kMega, .unfinished_of_one_max = 4 * kMega});
  std::vector<Admission::Place> places(5);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = knock(admission, at("10.0.0.7:1")).value().place;
    ASSERT_TRUE(admission.enter(places[i], i < 2 ? 1000 : 1000 + static_cast<unsigned>(i), false));
  }
  EXPECT_TRUE(admission.hold(places[0], 3 * kMega));
  EXPECT_FALSE(admission.hold(places[1], 2 * kMega)) << "his other connection holds too much";
  EXPECT_TRUE(admission.hold(places[1], 0));
  EXPECT_TRUE(admission.hold(places[2], 3 * kMega));
  EXPECT_TRUE(admission.hold(places[3], 3 * kMega));
  EXPECT_FALSE(admission.hold(places[4], 3 * kMega)) << "all together hold too much";
  admission.leave(places[4]);
  admission.leave(places[3]);
  EXPECT_TRUE(admission.hold(places[2], 4 * kMega));
}

// The server's part.

TEST(Server, KeepsOneUserFromTakingEveryConnection) {
  EchoServer room({.admission = {.connections_of_one_max = 3}});
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Client::connect(room.tcp_address(), {.token = test_token()}).value());
    ASSERT_TRUE(clients.back().call(kEcho, "x", kPatience));
  }
  Client late = Client::connect(room.tcp_address(), {.token = test_token()}).value();
  auto refused = late.call(kEcho, "x", kPatience);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("uid 1234 has too many connections"));
  EXPECT_TRUE(room.client().call(kEcho, "x", kPatience)) << "others are served";
  clients.pop_back();
  for (int tries = 0; tries < 1000; ++tries) {  // until the server has noticed
    Client again = Client::connect(room.tcp_address(), {.token = test_token()}).value();
    if (again.call(kEcho, "x", kPatience)) return;
    std::this_thread::sleep_for(Duration(5));
  }
  FAIL() << "his place is never free again";
}

TEST(Server, OneUserHasAShareOfFewConnections) {
  EchoServer room({.connections_max = 16});
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(Client::connect(room.tcp_address(), {.token = test_token()}).value());
    ASSERT_TRUE(clients.back().call(kEcho, "x", kPatience));
  }
  Client late = Client::connect(room.tcp_address(), {.token = test_token()}).value();
  auto refused = late.call(kEcho, "x", kPatience);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("uid 1234 has too many connections"));
}

TEST(Server, KeepsOneAddressFromTakingEveryPlaceAtTheDoor) {
  EchoServer room({.admission = {.unknown_of_one_max = 4, .hello_grace = kPatience}});
  std::vector<Client> silent;
  for (int i = 0; i < 4; ++i) silent.push_back(Client::connect(room.tcp_address(), {}).value());
  Client late = Client::connect(room.tcp_address(), {.token = test_token()}).value();
  auto refused = late.call(kEcho, "x", kPatience);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("from 127.0.0.1 wait for authentication"));
  EXPECT_TRUE(room.client().call(kEcho, "x", kPatience)) << "a Unix socket is another origin";
}

// A socket that is connected from this address of the machine, and says nothing.
Fd silent_from(const std::string& address, std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &from.sin_addr);
  ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  return fd;
}

TEST(Server, SilentConnectionsOfSeveralAddressesLockNobodyOut) {
  for (int threads : {1, 3}) {
    EchoServer room(
        {.threads = threads,
         .admission = {.unknown_max = 40, .unknown_of_one_max = 10, .hello_grace = kPatience}});
    std::vector<Fd> silent;
    for (int round = 0; round < 10; ++round)
      for (int i = 10; i < 15; ++i)
        silent.push_back(silent_from("127.0.0." + std::to_string(i), room.port));
    for (int i = 0; i < 50; ++i) {
      Client client = Client::connect(room.tcp_address(), {.token = test_token()}).value();
      auto answer = client.call(kEcho, "x", kPatience);
      ASSERT_TRUE(answer) << answer.error().text;
    }
    EXPECT_TRUE(room.client().call(kEcho, "x", kPatience)) << "nor on the Unix socket";
    // Who had to make room is told: the first of all was the oldest of those who held most.
    char words[4096] = "";
    ASSERT_GT(::recv(silent[0].get(), words, sizeof words, 0), 0);
    EXPECT_THAT(std::string(words, sizeof words), HasSubstr("wait for authentication"));
  }
}

TEST(Server, CutsOffWhoSendsAMessageInDrops) {
  EchoServer room(
      {.handshake_deadline = Duration(200), .admission = {.message_deadline = Duration(100)}});
  Client client = room.client();
  ASSERT_TRUE(client.call(kEcho, "x", kPatience));
  std::string frame;
  append_frame(frame, {.type = kEcho, .correlation = 7}, "a message that never ends");
  frame.resize(frame.size() - 3);
  ASSERT_EQ(::send(client.fd(), frame.data(), frame.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(frame.size()));
  auto answer = client.receive(kPatience);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("not whole after 100 ms"));
}

TEST(Server, CutsOffWhoHoldsTooManyUnfinishedBytes) {
  EchoServer room({.admission = {.unfinished_of_one_max = 1 << 20}});
  Client client = Client::connect(room.tcp_address(), {.token = test_token()}).value();
  ASSERT_TRUE(client.call(kEcho, "x", kPatience));
  std::string frame;
  append_frame(frame, {.type = kEcho, .correlation = 7}, std::string(4 << 20, 'x'));
  auto answer = client.call(kEcho, std::string(4 << 20, 'x'), kPatience);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("too many large messages"));
}

// Readers of answers that never end, and one who asks something small.
TEST(Server, AnswersOthersWhileManyReadLongAnswers) {
  std::unique_ptr<Server> server;
  auto produce = [&](ConnectionId to) {
    std::string much(100'000, 'x');
    while (server->send(to, {.type = kFlood}, much, WhenFull::Refuse, 300'000) == SendResult::Sent)
      continue;
  };
  ServerHandlers handlers{
      .on_open = {},
      .on_frames =
          [&](ConnectionId from, const Peer&, const std::vector<Frame>& frames) {
            for (const Frame& frame : frames) {
              if (frame.header.type == kFlood) produce(from);
              if (frame.header.type == kEcho) server->send(from, frame.header, frame.payload);
            }
          },
      .on_close = {},
      .on_writable = produce};
  TempDir dir;
  server = std::make_unique<Server>(ServerOptions{.cluster = "emil", .authenticate = {}},
                                    std::move(handlers));
  ASSERT_TRUE(server->listen_unix(dir / "s", 0600));
  std::vector<Client> readers;
  for (int i = 0; i < 20; ++i) {
    readers.push_back(Client::connect({.path = dir / "s"}, {}).value());
    ASSERT_TRUE(readers.back().send({.type = kFlood, .correlation = 1}, "", kPatience));
  }
  Client small = Client::connect({.path = dir / "s"}, {}).value();
  for (int round = 0; round < 20; ++round) {
    for (Client& reader : readers)
      for (int i = 0; i < 5; ++i) ASSERT_TRUE(reader.receive(kPatience));
    ASSERT_TRUE(small.call(kEcho, "hello", kPatience));
  }
  server->stop();
}

}  // namespace
}  // namespace ym
