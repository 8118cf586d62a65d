// SPDX-License-Identifier: Apache-2.0
#include "net/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "net/test_room.h"

namespace ym {
namespace {

using testing::HasSubstr;

// The text with which a hello of ours is answered over TCP.
std::string refusal(const Address& to, ClientOptions options) {
  auto client = Client::connect(to, options);
  if (!client) return client.error().text;
  auto answer = client->call(kEcho, "hello", kPatience);
  return answer ? "accepted" : answer.error().text;
}

// Sends raw bytes and reads until the other side ends.
std::string raw_conversation(const Address& to, std::string_view bytes) {
  Client client = Client::connect(to, {}).value();
  int fd = client.fd();
  set_blocking(fd);
  EXPECT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  std::string got;
  char buffer[4096];
  for (ssize_t n; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
    got.append(buffer, static_cast<std::size_t>(n));
  return got;
}

TEST(Server, AnswersACallOverAUnixSocketAndKnowsWhoAsks) {
  EchoServer room;
  Client client = room.client({.cluster = "emil"});
  auto answer = client.call(kEcho, "hello", kPatience);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->payload, "hello");
  EXPECT_EQ(client.version(), kVersions.max);
  EXPECT_EQ(client.server_cluster(), "emil");
  Peer peer = room.first().second;
  EXPECT_EQ(peer.kind, PeerKind::Unix);
  EXPECT_EQ(peer.uid, ::getuid());
  EXPECT_EQ(peer.gid, ::getgid());
  EXPECT_EQ(peer.pid, ::getpid());
  EXPECT_EQ(peer.version, kVersions.max);
}

TEST(Server, AnswersACallOverTcpForTheBearerOfAToken) {
  EchoServer room;
  EXPECT_EQ(refusal(room.tcp_address(), {.cluster = "emil", .token = test_token()}), "accepted");
  Peer peer = room.first().second;
  EXPECT_EQ(peer.kind, PeerKind::Token);
  EXPECT_EQ(peer.uid, 1234u);
  EXPECT_EQ(peer.gid, 56u);
  EXPECT_EQ(peer.pid, 0);
  EXPECT_EQ(peer.user, "ada");
  EXPECT_EQ(peer.role, "node");
  EXPECT_THAT(peer.address, HasSubstr("127.0.0.1:"));
}

TEST(Server, TellsARefusedClientWhy) {
  EchoServer room;
  EXPECT_THAT(refusal(room.tcp_address(), {}), HasSubstr("a token is needed"));
  EXPECT_THAT(refusal(room.tcp_address(), {.token = "nonsense"}), HasSubstr("three parts"));
  EXPECT_THAT(refusal(room.tcp_address(), {.token = test_token('z')}),
              HasSubstr("not signed with this cluster's key"));
  EXPECT_THAT(refusal(room.tcp_address(), {.token = test_token('k', "zoo")}),
              HasSubstr("for cluster \"zoo\""));
  EXPECT_THAT(refusal(room.tcp_address(), {.cluster = "zoo", .token = test_token()}),
              HasSubstr("this is cluster emil, not zoo"));
  EXPECT_THAT(refusal(room.unix_address(), {.versions = {7, 9}}),
              HasSubstr("the client 7 to 9; upgrade the server"));
  EXPECT_TRUE(room.look(&EchoServer::opened).empty());
  EXPECT_TRUE(room.look(&EchoServer::closed).empty());
}

TEST(Server, TellsAnOldClientToUpgrade) {
  EchoServer room({.versions = {3, 4}});
  EXPECT_THAT(refusal(room.unix_address(), {.versions = {1, 2}}), HasSubstr("upgrade the client"));
  EXPECT_EQ(refusal(room.unix_address(), {.versions = {1, 3}}), "accepted");
}

TEST(Server, AnswersGarbageWithAnErrorFrameAndCloses) {
  EchoServer room;
  std::string garbage = "GET / HTTP/1.1\r\n" + std::string(100'000, 'x');
  EXPECT_THAT(raw_conversation(room.unix_address(), garbage),
              HasSubstr("not a Yardmaster connection"));
  EXPECT_THAT(raw_conversation(room.tcp_address(), garbage),
              HasSubstr("not a Yardmaster connection"));
}

TEST(Server, RefusesAnOversizedFrameBeforeAndAfterAuthentication) {
  EchoServer room({.frame_max = 100'000});
  std::string hello = encode_client_hello({}).substr(0, kPreambleSize);
  append_frame(hello, {.type = 1}, std::string(kFrameMaxUnknown + 1, 'x'));
  EXPECT_THAT(raw_conversation(room.unix_address(), hello), HasSubstr("above the limit of 16384"));

  Client client = room.client();
  ASSERT_TRUE(client.call(kEcho, std::string(100'000, 'x'), kPatience));
  auto answer = client.call(kEcho, std::string(100'001, 'x'), kPatience);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("100001 bytes is above the limit of 100000"));
  EXPECT_THAT(room.close_reason(), HasSubstr("above the limit"));
}

TEST(Server, CutsOffASlowLorisAndASilentClientAtTheHandshakeDeadline) {
  EchoServer room({.handshake_deadline = Duration{30}});
  EXPECT_THAT(raw_conversation(room.unix_address(), "YMR1"),
              HasSubstr("no whole hello within 30 ms"));
  EXPECT_THAT(raw_conversation(room.tcp_address(), ""), HasSubstr("no hello within 30 ms"));
}

TEST(Server, ClosesAHalfOpenConnectionAfterTheLingerDeadlineEvenIfTheOtherSideNeverEnds) {
  EchoServer room({.handshake_deadline = Duration{20}, .linger_deadline = Duration{20}});
  Client client = Client::connect(room.unix_address(), {}).value();  // connected, and then nothing
  set_blocking(client.fd());
  char buffer[4096];
  while (::recv(client.fd(), buffer, sizeof buffer, 0) > 0) {
  }
  // We never end our side; the server forgets the connection anyway, and then writing to it fails.
  while (::send(client.fd(), "x", 1, MSG_NOSIGNAL) == 1) std::this_thread::yield();
  while (room.server->connection_count() > 0) std::this_thread::yield();
}

TEST(Server, CutsAnIdleConnectionButNotABusyOne) {
  EchoServer room({.idle_deadline = Duration{200}});
  Client client = room.client();
  ASSERT_TRUE(client.call(kEcho, "hello", kPatience));
  auto next = client.receive(kPatience);
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().text, HasSubstr("nothing came for 200 ms"));
}

TEST(Server, CutsOffASlowReaderWithBoundedMemory) {
  EchoServer room({.outgoing_max = 1'000'000});
  Client client = room.client();
  ASSERT_TRUE(client.send({.type = kFlood}, "", kPatience));
  EXPECT_EQ(room.close_reason(), "it read too slowly");
  // At most the limit, and what the kernel took before its buffer was full.
  ASSERT_TRUE(room.events.wait([&] { return room.flood_done; }));
  EXPECT_LE(room.look(&EchoServer::flooded), 1'000u);
}

TEST(Server, TellsAStreamerToWaitAndWhenToGoOn) {
  EchoServer room({.outgoing_max = 1'000'000});
  room.flood_policy = WhenFull::Refuse;
  Client client = room.client();
  ASSERT_TRUE(client.send({.type = kFlood}, "", kPatience));
  ASSERT_TRUE(room.events.wait([&] { return room.flood_done; }));
  std::size_t flooded = room.look(&EchoServer::flooded);
  for (std::size_t i = 0; i < flooded; ++i) ASSERT_TRUE(client.receive(kPatience));
  EXPECT_TRUE(room.events.wait([&] { return room.writable == 1; }));
  EXPECT_TRUE(client.call(kEcho, "still here", kPatience));
}

TEST(Server, ReadsNothingWhilePausedAndGoesOnWhenResumed) {
  EchoServer room;
  Client client = room.client();
  ASSERT_TRUE(client.call(kEcho, "", kPatience));
  ConnectionId id = room.first().first;
  ASSERT_TRUE(client.send({.type = kPauseMe}, "", kPatience));
  ASSERT_TRUE(room.events.wait([&] { return room.batches >= 2; }));
  ASSERT_TRUE(client.send({.type = kSink}, "", kPatience));
  // Another connection's call passes through the same thread after the pause took effect.
  ASSERT_TRUE(room.client().call(kEcho, "", kPatience));
  EXPECT_EQ(room.look(&EchoServer::sunk), 0u);
  room.server->resume(id);
  EXPECT_TRUE(room.events.wait([&] { return room.sunk == 1; }));
}

TEST(Server, ClosesWithAReasonThatBothSidesLearnAfterWhatWasSentBefore) {
  EchoServer room;
  Client client = room.client();
  ASSERT_TRUE(client.send({.type = kEcho, .correlation = 5}, "first", kPatience));
  ASSERT_TRUE(client.send({.type = kCloseMe}, "draining for upgrade", kPatience));
  EXPECT_EQ(client.receive(kPatience).value().payload, "first");
  EXPECT_THAT(client.receive(kPatience).error().text, HasSubstr("draining for upgrade"));
  EXPECT_EQ(room.close_reason(), "draining for upgrade");
}

TEST(Server, RefusesOneRequestAndGoesOn) {
  EchoServer room;
  Client client = room.client();
  auto refused = client.call(kRefuseMe, "", kPatience);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (Error{7, "no such job"}));
  EXPECT_TRUE(client.call(kEcho, "", kPatience));
}

// From a thread that is not the loop's, written at once or with others, larger than what the socket
// takes, or to a connection that has ended.
TEST(Server, WhatIsSentAtOnceKeepsItsPlaceAmongWhatIsGathered) {
  EchoServer room;
  Client client = room.client();
  ASSERT_TRUE(client.call(kEcho, "hello", kPatience));
  ConnectionId id = room.first().first;
  std::vector<std::string> said;
  for (int i = 0; i < 300; ++i) {
    said.push_back(std::to_string(i) + std::string(i % 50 == 7 ? 1'000'000 : i % 13, 'x'));
    SendResult sent = i % 3 == 0 ? room.server->send(id, {.type = kEcho}, said.back())
                                 : room.server->send_now(id, {.type = kEcho}, said.back());
    ASSERT_EQ(sent, SendResult::Sent) << i;
    if (i % 20 != 19) continue;
    for (std::size_t k = said.size() - 20; k < said.size(); ++k) {
      auto frame = client.receive(kPatience);
      ASSERT_TRUE(frame) << frame.error().text;
      ASSERT_EQ(frame->payload, said[k]) << k;
    }
  }
  {
    Client gone = std::move(client);
  }
  ASSERT_TRUE(room.events.wait([&] { return !room.closed.empty(); }));
  EXPECT_EQ(room.server->send_now(id, {.type = kEcho}, "late"), SendResult::Gone);
}

TEST(Server, NoticesAClientThatGoesAway) {
  EchoServer room;
  {
    ASSERT_TRUE(room.client().call(kEcho, "", kPatience));
  }
  EXPECT_EQ(room.close_reason(), "the other side closed");
  EXPECT_EQ(room.server->send(room.first().first, {.type = kEcho}, ""), SendResult::Gone);
}

TEST(Server, DetachesAConnectionWithTheBytesThatCameAfterwards) {
  EchoServer room;
  Client client = room.client();
  ASSERT_TRUE(client.finish_handshake(kPatience));
  // In one write: the request, and the first half of a frame for whoever takes over.
  std::string rest;
  append_frame(rest, {.type = kSink, .correlation = 77}, "for the shepherd");
  std::string bytes;
  append_frame(bytes, {.type = kDetachMe, .correlation = 76}, "yours");
  bytes += rest.substr(0, 20);
  ASSERT_EQ(::send(client.fd(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(client.receive(kPatience).value().payload, "yours")
      << "what was sent before the detach arrives";

  ASSERT_TRUE(room.events.wait([&] { return !room.detached.empty(); }));
  Detached given;
  room.events.change([&] { given = std::move(room.detached[0].value()); });
  EXPECT_EQ(given.residual, rest.substr(0, 20));
  EXPECT_EQ(given.peer.uid, ::getuid());
  EXPECT_EQ(room.server->connection_count(), 0u);
  EXPECT_TRUE(room.look(&EchoServer::closed).empty());

  Client shepherd = Client::adopt(given.fd, given.residual);
  ASSERT_EQ(::send(client.fd(), rest.data() + 20, rest.size() - 20, 0),
            static_cast<ssize_t>(rest.size() - 20));
  EXPECT_EQ(shepherd.receive(kPatience).value().payload, "for the shepherd");
  ASSERT_TRUE(shepherd.send({.type = kEcho}, "from the shepherd", kPatience));
  EXPECT_EQ(client.receive(kPatience).value().payload, "from the shepherd");
}

TEST(Server, ServesAHundredConnectionsAtOnceOnSeveralThreads) {
  EchoServer room({.threads = 3});
  constexpr int kClients = 100, kCalls = 200;
  std::vector<Client> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(room.client());
  for (Client& client : clients)
    for (std::uint64_t n = 1; n <= kCalls; ++n)
      ASSERT_TRUE(client.send({.type = kEcho, .correlation = n}, std::to_string(n * 3), kPatience));
  for (Client& client : clients)
    for (std::uint64_t n = 1; n <= kCalls; ++n) {
      auto frame = client.receive(kPatience);
      ASSERT_TRUE(frame) << frame.error().text;
      EXPECT_EQ(frame->header.correlation, n);
      EXPECT_EQ(frame->payload, std::to_string(n * 3));
    }
  EXPECT_EQ(room.server->connection_count(), std::size_t{kClients});
  clients.clear();
  EXPECT_TRUE(room.events.wait([&] { return room.closed.size() == kClients; }));
}

TEST(Server, RefusesConnectionsAboveItsLimits) {
  EchoServer room({.connections_max = 2, .trusted = [](const Peer&) { return true; }});
  Client first = room.client(), second = room.client();
  ASSERT_TRUE(first.call(kEcho, "", kPatience));
  ASSERT_TRUE(second.call(kEcho, "", kPatience));
  const char* full = "too many connections, come back later";
  EXPECT_THAT(refusal(room.tcp_address(), {.token = test_token()}), HasSubstr(full));
  // Root on this machine comes in, to look what is the matter.
  EXPECT_THAT(refusal(room.unix_address(), {}), HasSubstr(::getuid() == 0 ? "accepted" : full));
}

TEST(Server, RefusesMoreStrangersThanItsLimitWhileKnownPeersGoOn) {
  EchoServer room({.admission = {.unknown_max = 1, .hello_grace = kPatience}});
  Client known = room.client();
  ASSERT_TRUE(known.call(kEcho, "", kPatience));
  Client stranger = Client::connect(room.tcp_address(), {}).value();  // says nothing
  EXPECT_THAT(refusal(room.tcp_address(), {.token = test_token()}),
              HasSubstr("wait for authentication"));
  EXPECT_TRUE(known.call(kEcho, "", kPatience));
}

TEST(Server, AStoppedOneLeavesNothingOfItselfBehind) {
  auto life = std::make_shared<int>();
  std::weak_ptr<int> left = life;
  TempDir dir;
  Events events;
  std::vector<ConnectionId> open;
  std::unique_ptr<Server> server;
  ServerHandlers handlers{
      .on_open = [&, life = std::move(life)](
                     ConnectionId id, const Peer&) { events.change([&] { open.push_back(id); }); },
      .on_frames = {},
      // The loop has something to do, and a connection waits behind it, when the server stops.
      .on_close =
          [&](ConnectionId, const std::string&) {
            server->loop().post([] { std::this_thread::sleep_for(Duration(20)); });
            for (ConnectionId id : open) server->close(id, "");
          },
      .on_writable = {}};
  server = std::make_unique<Server>(ServerOptions{.cluster = "emil", .authenticate = {}},
                                    std::move(handlers));
  ASSERT_TRUE(server->listen_unix(dir / "s", 0600));
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Client::connect({.path = dir / "s"}, {}).value());
    ASSERT_TRUE(clients.back().finish_handshake(kPatience));
  }
  ASSERT_TRUE(events.wait([&] { return open.size() == 3; }));
  server->stop();
  server.reset();
  EXPECT_TRUE(left.expired());
}

TEST(Server, WaitsForWhatTheChildOfAKilledServerHoldsForAMoment) {
  TempDir dir;
  std::string path = dir / "s", lock_path = path + ".lock";
  Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  std::thread child([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    lock = Fd();
  });
  Server server({}, {});
  EXPECT_TRUE(server.listen_unix(path, 0600));
  child.join();
}

TEST(Server, ReplacesADeadServersSocketButNotALiveOnesNorAnOrdinaryFile) {
  TempDir dir;
  std::string path = dir / "s";
  Server first({}, {}), second({}, {});
  ASSERT_TRUE(first.listen_unix(path, 0600));
  struct stat file;
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600u);
  EXPECT_THAT(second.listen_unix(path, 0600).error().text,
              HasSubstr("another server listens there"));
  first.stop();
  EXPECT_NE(::stat(path.c_str(), &file), 0) << "a stopped server leaves no socket behind";

  // As after a crash: a bound socket that nobody listens on.
  SocketAddress address = resolve_quickly({.path = path}).value().front();
  {
    ASSERT_EQ(::bind(Fd(::socket(AF_UNIX, SOCK_STREAM, 0)).get(), address.get(), address.size), 0);
  }
  EXPECT_TRUE(second.listen_unix(path, 0666));
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0666u);

  std::ofstream(dir / "file") << "precious";
  EXPECT_THAT(second.listen_unix(dir / "file", 0600).error().text, HasSubstr("is no socket"));
  EXPECT_THAT(second.listen_unix(dir / std::string(200, 'x'), 0600).error().text,
              HasSubstr("the kernel allows"));
}

TEST(Server, ReportsAPortThatIsTaken) {
  Server first({}, {}), second({}, {});
  auto port = first.listen_tcp("127.0.0.1", 0);
  ASSERT_TRUE(port);
  auto again = second.listen_tcp("127.0.0.1", *port);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text, HasSubstr("in use"));
}

TEST(Server, StopClosesEveryConnection) {
  EchoServer room;
  Client client = room.client();
  ASSERT_TRUE(client.call(kEcho, "", kPatience));
  room.server->stop();
  EXPECT_EQ(room.close_reason(), "the server stopped");
  EXPECT_FALSE(client.call(kEcho, "", kPatience));
}

TEST(Server, RunsInSomebodysLoop) {
  TempDir dir;
  Loop loop;
  Server* serving = nullptr;
  Server server({},
                {.on_frames =
                     [&](ConnectionId id, const Peer&, std::vector<Frame> frames) {
                       for (Frame& frame : frames) serving->send(id, frame.header, frame.payload);
                     }},
                loop);
  serving = &server;
  ASSERT_TRUE(server.listen_unix(dir / "s", 0600));
  std::thread asker([&] {
    auto client = Client::connect({.path = dir / "s"}, {});
    EXPECT_TRUE(client && client->call(kEcho, "x", kPatience));
    loop.stop();
  });
  loop.run();
  asker.join();
}

}  // namespace
}  // namespace ym
