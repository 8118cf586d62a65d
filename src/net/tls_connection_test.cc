// SPDX-License-Identifier: Apache-2.0
// TLS between real sockets: commands, links, and those who have no business there.
#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "net/authority.h"
#include "net/certificate.h"
#include "net/link.h"
#include "net/test_room.h"
#include "os/clock.h"

namespace ym {
namespace {

using testing::HasSubstr;

constexpr const char* kName = "slurmctld.emil";

Authority authority() {
  static const Authority made = Authority::create("emil", wall_clock()).value();
  return made;
}
std::shared_ptr<TlsContext> server_tls(Duration life = kCertificateLife) {
  return TlsContext::server(authority().issue(kName, wall_clock(), life).value()).value();
}
std::shared_ptr<const TlsContext> client_tls() {
  return TlsContext::client({.authority = authority().certificate(), .revoked = {}}).value();
}

// As a command has it: of a user, and for any channel.
std::string user_token() {
  return sign_token(test_key(),
                    {.uid = 1,
                     .gid = 1,
                     .issued = kTestNow,
                     .expires = kTestNow + std::chrono::seconds(60),
                     .audience = "emil",
                     .kind = "user"},
                    system_entropy())
      .value();
}

ServerOptions with_tls(bool required = true, Duration life = kCertificateLife) {
  ServerOptions options;
  options.tls = [tls = server_tls(life)] { return tls; };
  options.tls_required = required;
  options.prove = [](std::string_view token, std::string_view binding) {
    return prove_server(test_key(), {.token = token, .binding = binding});
  };
  return options;
}

std::string outcome(EchoServer& room, const ClientOptions& options) {
  auto client = Client::connect(room.tcp_address(), options);
  if (!client) return client.error().text;
  auto answer = client->call(kEcho, "hello", kPatience);
  return answer ? answer->payload : answer.error().text;
}

TEST(TlsConnection, ACommandThatKnowsTheAuthorityIsServed) {
  EchoServer room(with_tls());
  ClientOptions options{.token = user_token(), .tls = client_tls(), .tls_name = kName};
  EXPECT_EQ(outcome(room, options), "hello");
  EXPECT_TRUE(room.first().second.secure);
}

TEST(TlsConnection, LargeMessagesPassBothWays) {
  EchoServer room(with_tls());
  auto client = Client::connect(room.tcp_address(),
                                {.token = user_token(), .tls = client_tls(), .tls_name = kName});
  ASSERT_TRUE(client) << client.error().text;
  for (std::size_t size : {1u, 16384u, 16385u, 5'000'000u}) {
    std::string payload(size, static_cast<char>('a' + size % 26));
    auto answer = client->call(kEcho, payload, kPatience);
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_EQ(answer->payload, payload);
  }
}

TEST(TlsConnection, ManyRequestsInARowAreAllAnswered) {
  EchoServer room(with_tls());
  auto client = Client::connect(room.tcp_address(),
                                {.token = user_token(), .tls = client_tls(), .tls_name = kName});
  ASSERT_TRUE(client);
  constexpr std::uint64_t kCount = 2000;
  for (std::uint64_t n = 1; n <= kCount; ++n)
    ASSERT_TRUE(client->send({.type = kEcho, .correlation = n}, std::string(n, 'x'), kPatience));
  for (std::uint64_t n = 1; n <= kCount; ++n) {
    auto frame = client->receive(kPatience);
    ASSERT_TRUE(frame) << frame.error().text;
    EXPECT_EQ(frame->header.correlation, n);
    EXPECT_EQ(frame->payload.size(), n);
  }
}

TEST(TlsConnection, AServerThatAnotherAuthorityVouchesForIsNotBelieved) {
  EchoServer room(with_tls());
  std::string other = Authority::create("emil", wall_clock())->certificate();
  ClientOptions options{.token = user_token(),
                        .tls = *TlsContext::client({.authority = other, .revoked = {}}),
                        .tls_name = kName};
  EXPECT_THAT(outcome(room, options), HasSubstr("its certificate is not good"));
  options.tls = client_tls();
  options.tls_name = "slurmctld.lisa";
  EXPECT_THAT(outcome(room, options), HasSubstr("its certificate is not good"));
}

TEST(TlsConnection, AnExpiredCertificateIsNotBelieved) {
  EchoServer room(with_tls(true, -std::chrono::hours(1)));
  ClientOptions options{.token = user_token(), .tls = client_tls(), .tls_name = kName};
  EXPECT_THAT(outcome(room, options), HasSubstr("expired"));
}

TEST(TlsConnection, PlainConnectionsAreRefusedWhereTlsIsRequiredAndTakenWhereItIsNot) {
  EchoServer strict(with_tls(true)), lenient(with_tls(false));
  EXPECT_THAT(outcome(strict, {.token = user_token()}), HasSubstr("TLS is needed"));
  EXPECT_EQ(outcome(lenient, {.token = user_token()}), "hello");
  Client local = strict.client();
  EXPECT_EQ(local.call(kEcho, "local", kPatience)->payload, "local") << "Unix sockets stay plain";
}

TEST(TlsConnection, AServerWithoutItSaysSo) {
  EchoServer room;
  ClientOptions options{.token = user_token(), .tls = client_tls(), .tls_name = kName};
  EXPECT_THAT(outcome(room, options), HasSubstr("does not speak TLS"));
}

// How a link ends up: "up", or why not.
std::string link_outcome(EchoServer& room, std::shared_ptr<const TlsContext> tls, char key = 'k') {
  Loop loop;
  std::string result = "nothing happened";
  LinkOptions options{.addresses = {room.tcp_address()},
                      .cluster = "emil",
                      .token =
                          [](std::string_view binding) {
                            return sign_token(test_key(),
                                              {.uid = 1,
                                               .gid = 1,
                                               .issued = kTestNow,
                                               .expires = kTestNow + std::chrono::seconds(60),
                                               .audience = "emil",
                                               .kind = "node",
                                               .id = {},
                                               .binding = std::string(binding),
                                               .once = true},
                                              system_entropy())
                                .value();
                          },
                      .check_proof =
                          [key](const Greeting& greeting, std::string_view proof) {
                            return check_server(test_key(key), greeting, proof, {.now = kTestNow});
                          },
                      .tls = [tls = std::move(tls)] { return tls; }};
  Link link(loop, std::move(options),
            {.on_up =
                 [&] {
                   result = "up";
                   loop.stop();
                 },
             .on_frames = {},
             .on_down =
                 [&](const Error& why, bool, Duration) {
                   result = why.text;
                   loop.stop();
                 },
             .on_writable = {}});
  loop.after(kPatience, [&] { loop.stop(); });
  link.start();
  loop.run();
  return result;
}

TEST(TlsConnection, ALinkNeedsNoAuthorityBecauseTheKeyProvesTheServerOnThisVeryChannel) {
  EchoServer room(with_tls());
  auto any = TlsContext::client({}).value();
  EXPECT_EQ(link_outcome(room, any), "up");
  EXPECT_TRUE(room.first().second.secure);
  EXPECT_THAT(link_outcome(room, any, 'z'), HasSubstr("does not prove"));
}

TEST(TlsConnection, WhoeverStandsBetweenCannotPassAProofOrATokenOn) {
  // He has TLS of his own to both sides: what he hears of one is worthless to the other.
  std::string here(32, 'h'), there(32, 't');
  std::string proof = prove_server(test_key(), {.token = "token", .binding = here});
  EXPECT_TRUE(
      check_server(test_key(), {.token = "token", .binding = here}, proof, {.now = kTestNow}));
  EXPECT_FALSE(
      check_server(test_key(), {.token = "token", .binding = there}, proof, {.now = kTestNow}));
  auto door = authenticate_with(test_key(), "emil", [] { return kTestNow; });
  auto token = sign_token(test_key(),
                          {.uid = 1,
                           .gid = 1,
                           .issued = kTestNow,
                           .expires = kTestNow + std::chrono::seconds(60),
                           .audience = "emil",
                           .kind = "node",
                           .id = {},
                           .binding = here},
                          system_entropy());
  EXPECT_TRUE(door(*token, here));
  EXPECT_THAT(door(*token, there).error().text, HasSubstr("another connection"));
  EXPECT_FALSE(door(*token, ""));
}

TEST(TlsConnection, ANodesTokenThatIsNotBoundIsRefusedWhereThereIsTls) {
  EchoServer room(with_tls());
  ClientOptions options{.token = test_token(), .tls = client_tls(), .tls_name = kName};
  EXPECT_THAT(outcome(room, options), HasSubstr("made for its connection"));
}

TEST(TlsConnection, ARevokedCertificateIsNotBelieved) {
  TlsIdentity identity = authority().issue(kName, wall_clock(), kCertificateLife).value();
  ServerOptions options = with_tls();
  options.tls = [tls = TlsContext::server(identity).value()] { return tls; };
  EchoServer room(std::move(options));
  auto tls = TlsContext::client({.authority = authority().certificate(),
                                 .revoked = {read_certificate(identity.certificate)->serial}});
  EXPECT_THAT(outcome(room, {.token = user_token(), .tls = *tls, .tls_name = kName}),
              HasSubstr("revoked"));
}

TEST(TlsConnection, ATicketSavesTheSecondHandshake) {
  EchoServer room(with_tls());
  ClientOptions options{.token = user_token(),
                        .tls = client_tls(),
                        .tls_name = kName,
                        .tls_ticket = room.dir / "ticket"};
  for (bool resumed : {false, true}) {
    auto client = Client::connect(room.tcp_address(), options);
    ASSERT_TRUE(client) << client.error().text;
    ASSERT_EQ(client->call(kEcho, "hello", kPatience)->payload, "hello");
    EXPECT_EQ(client->channel().resumed(), resumed);
  }
  struct stat file;
  ASSERT_EQ(::stat(options.tls_ticket.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600u);
  // A damaged one, or one that others can write, is only a full handshake.
  std::filesystem::resize_file(options.tls_ticket, 10);
  EXPECT_EQ(outcome(room, options), "hello");
  ::chmod(options.tls_ticket.c_str(), 0666);
  EXPECT_EQ(outcome(room, options), "hello");
}

TEST(TlsConnection, ManyAreBegunAtOnceAndNoneWaits) {
  EchoServer room(with_tls());
  std::vector<Client> clients;
  for (int n = 0; n < 20; ++n) {
    ClientOptions options{.token = user_token(), .tls = client_tls(), .tls_name = kName};
    auto client = Client::begin(room.tcp_address(), options);
    ASSERT_TRUE(client) << client.error().text;
    ASSERT_TRUE(client->queue({.type = kEcho, .correlation = 7}, "hello"));
    clients.push_back(std::move(*client));
  }
  for (Client& client : clients) {
    auto frame = client.receive(kPatience);
    ASSERT_TRUE(frame) << frame.error().text;
    EXPECT_EQ(frame->payload, "hello");
  }
}

// What a command does that has the cluster's key, and no authority to believe.
TEST(TlsConnection, NothingButTheHelloLeavesBeforeTheServerHasProvedItself) {
  EchoServer room(with_tls());
  ClientOptions options{.token = user_token(), .tls = TlsContext::client({}).value()};
  for (char key : {'k', 'z'}) {
    options.check_proof = [key](const Greeting& greeting, std::string_view proof) {
      return check_server(test_key(key), greeting, proof, {.now = kTestNow});
    };
    if (key == 'k')
      EXPECT_EQ(outcome(room, options), "hello");
    else
      EXPECT_THAT(outcome(room, options), HasSubstr("does not prove"));
  }
  EXPECT_EQ(room.look(&EchoServer::batches), 1u);
}

// A connection with TLS that slurmd hands to another process: its keys stay, its bytes go.
TEST(TlsConnection, IsHandedOverAndCarriedOn) {
  EchoServer room(with_tls());
  auto client = Client::connect(room.tcp_address(),
                                {.token = user_token(), .tls = client_tls(), .tls_name = kName});
  ASSERT_TRUE(client) << client.error().text;
  ASSERT_EQ(client->call(kDetachMe, "over", kPatience)->payload, "over");
  ASSERT_TRUE(room.events.wait([&] { return !room.detached.empty(); }));
  ASSERT_TRUE(room.detached.front()) << room.detached.front().error().text;
  Client far = Client::adopt(room.detached.front()->fd, room.detached.front()->residual);
  // Much more than may wait on the way, to somebody who reads only afterwards.
  constexpr std::uint64_t kCount = 100;
  std::string piece(100'000, 'p');
  std::thread writer([&] {
    for (std::uint64_t n = 1; n <= kCount; ++n)
      ASSERT_TRUE(far.send({.type = kEcho, .correlation = n}, piece, kPatience));
  });
  for (std::uint64_t n = 1; n <= kCount; ++n) {
    auto frame = client->receive(kPatience);
    ASSERT_TRUE(frame) << frame.error().text;
    EXPECT_EQ(frame->header.correlation, n);
    EXPECT_EQ(frame->payload.size(), piece.size());
  }
  writer.join();
  ASSERT_TRUE(client->send({.type = kEcho, .correlation = 9}, piece, kPatience));
  EXPECT_EQ(far.receive(kPatience)->payload, piece);
  // What was written last arrives before the end does.
  ASSERT_TRUE(far.send({.type = kEcho, .correlation = 10}, piece, kPatience));
  {
    Client gone = std::move(far);
  }
  EXPECT_EQ(client->receive(kPatience)->header.correlation, 10u);
  EXPECT_FALSE(client->receive(kPatience));
}

}  // namespace
}  // namespace ym
