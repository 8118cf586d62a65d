// SPDX-License-Identifier: Apache-2.0
#include "net/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/prng.h"
#include "net/test_room.h"

namespace ym {
namespace {

using testing::HasSubstr;

// A link on a loop of its own; runs `loop` until the handler under test stops it.
struct LinkRoom {
  explicit LinkRoom(LinkOptions options) {
    options.retry_min = Duration{1};
    options.retry_max = Duration{20};
    link.emplace(loop, std::move(options),
                 LinkHandlers{.on_up =
                                  [this] {
                                    ++ups;
                                    if (on_up) on_up();
                                  },
                              .on_frames =
                                  [this](std::vector<Frame> batch) {
                                    for (Frame& frame : batch) frames.push_back(std::move(frame));
                                    if (on_frame) on_frame();
                                  },
                              .on_down =
                                  [this](const Error& why, bool was_up, Duration) {
                                    if (was_up) ++losses;
                                    last_reason = why.text;
                                    if (on_down) on_down();
                                  }});
    watchdog = loop.after(kPatience, [this] {
      ADD_FAILURE() << "nothing happened";
      loop.stop();
    });
  }
  Loop loop;
  std::optional<Link> link;
  TimerId watchdog;
  int ups = 0, losses = 0;
  std::string last_reason;
  std::vector<Frame> frames;
  std::function<void()> on_up, on_frame, on_down;
};

TEST(Link, ComesUpAndCarriesFramesBothWays) {
  EchoServer server;
  for (const Address& address : {server.unix_address(), server.tcp_address()}) {
    LinkRoom room({.addresses = {address}, .cluster = "emil", .token = [](std::string_view) {
                     return test_token();
                   }});
    room.on_up = [&] {
      EXPECT_EQ(room.link->send({.type = kEcho, .correlation = 3}, "hello"), SendResult::Sent);
    };
    room.on_frame = [&] { room.loop.stop(); };
    EXPECT_EQ(room.link->send({.type = kEcho}, ""), SendResult::Gone) << "not up yet";
    room.link->start();
    room.loop.run();
    ASSERT_EQ(room.frames.size(), 1u);
    EXPECT_EQ(room.frames[0].payload, "hello");
    EXPECT_TRUE(room.link->is_up());
  }
}

TEST(Link, AnOpeningLeavesWithTheHelloAndTheUpComesBeforeItsAnswer) {
  EchoServer server;
  std::string opening;
  append_frame(opening, {.type = kEcho, .correlation = 9}, "at once");
  for (const Address& address : {server.unix_address(), server.tcp_address()}) {
    LinkRoom room({.addresses = {address},
                   .cluster = "emil",
                   .token = [](std::string_view) { return test_token(); },
                   .opening = opening});
    room.on_frame = [&] {
      EXPECT_EQ(room.ups, 1);
      room.loop.stop();
    };
    room.link->start();
    room.loop.run();
    ASSERT_EQ(room.frames.size(), 1u);
    EXPECT_EQ(room.frames[0].payload, "at once");
    EXPECT_EQ(room.frames[0].header.correlation, 9u);
  }
}

TEST(Link, ComesBackWhenTheServerDiesAndReturns) {
  TempDir dir;
  auto make_server = [&] {
    auto server = std::make_unique<Server>(ServerOptions{.cluster = "emil"}, ServerHandlers{});
    EXPECT_TRUE(server->listen_unix(dir / "s", 0600));
    return server;
  };
  LinkRoom room({.addresses = {{.path = dir / "s"}}, .cluster = "emil"});
  std::unique_ptr<Server> server;
  room.on_down = [&] {
    if (!server) server = make_server();  // it was not there at first, or died
  };
  room.on_up = [&] {
    if (room.ups == 3) return room.loop.stop();
    room.loop.post([&] { server.reset(); });
  };
  room.link->start();
  room.loop.run();
  EXPECT_EQ(room.ups, 3);
  EXPECT_EQ(room.losses, 2);
}

TEST(Link, GoesToTheNextAddressWhenOneDoesNotAnswer) {
  EchoServer server;
  LinkRoom room({.addresses = {{.path = "/nonexistent/socket"}, server.unix_address()}});
  room.on_up = [&] { room.loop.stop(); };
  room.link->start();
  room.loop.run();
  EXPECT_THAT(room.last_reason,
              HasSubstr("cannot connect to unix:/nonexistent/socket: No such file"));
}

TEST(Link, LeavesForAnotherAddressWhenToldSo) {
  EchoServer first, second;
  LinkRoom room({.addresses = {first.tcp_address(), second.tcp_address()},
                 .cluster = "emil",
                 .token = [](std::string_view) { return test_token(); }});
  room.on_up = [&] {
    if (room.ups == 2) return room.loop.stop();
    room.loop.post([&] {
      room.link->move_to(0);  // it is there
      EXPECT_TRUE(room.link->is_up());
      room.link->move_to(1);
      EXPECT_FALSE(room.link->is_up());
    });
  };
  room.link->start();
  room.loop.run();
  EXPECT_EQ(room.losses, 1);
  EXPECT_THAT(room.last_reason, HasSubstr(to_text(second.tcp_address())));
}

TEST(Link, SaysWhyItWasRefused) {
  EchoServer server;
  auto reason = [&](LinkOptions options) {
    LinkRoom room(std::move(options));
    room.on_down = [&] { room.loop.stop(); };
    room.link->start();
    room.loop.run();
    return room.last_reason;
  };
  EXPECT_THAT(reason({.addresses = {server.tcp_address()},
                      .token = [](std::string_view) { return test_token('z'); }}),
              HasSubstr("not signed with this cluster's key"));
  EXPECT_THAT(reason({.addresses = {server.unix_address()}, .cluster = "zoo"}),
              HasSubstr("this is cluster emil, not zoo"));
  EXPECT_THAT(reason({.addresses = {server.unix_address()}, .versions = {8, 8}}),
              HasSubstr("upgrade the server"));
}

TEST(Link, ComesBackMoreAndMoreSlowlyToWhoeverSendsItAwayAgain) {
  EchoServer server;
  Loop loop;
  std::optional<Link> link;
  std::vector<Duration> waits;
  LinkHandlers handlers;
  handlers.on_up = [&] { link->send({.type = kCloseMe}, "this node is revoked"); };
  handlers.on_down = [&](const Error&, bool was_up, Duration retry_in) {
    EXPECT_TRUE(was_up);
    waits.push_back(retry_in);
    if (waits.size() == 6) loop.stop();
  };
  link.emplace(loop,
               LinkOptions{.addresses = {server.unix_address()},
                           .cluster = "emil",
                           .token = {},
                           .opening = {},
                           .retry_min = Duration{8}},
               std::move(handlers));
  TimerId watchdog = loop.after(kPatience, [&] {
    ADD_FAILURE() << "nothing happened";
    loop.stop();
  });
  link->start();
  loop.run();
  loop.cancel(watchdog);
  ASSERT_EQ(waits.size(), 6u);
  EXPECT_LE(waits.front(), Duration{8});
  for (std::size_t i = 1; i < waits.size(); ++i)
    EXPECT_GE(waits[i], Duration{4 << i}) << "half of what it has doubled to";
}

TEST(Link, GivesUpOnASilentServerAtTheDeadline) {
  TempDir dir;
  SocketAddress address = resolve_quickly({.path = dir / "s"}).value().front();
  Fd deaf(::socket(AF_UNIX, SOCK_STREAM,
                   0));  // takes connections into its queue and never looks at them
  ASSERT_EQ(::bind(deaf.get(), address.get(), address.size), 0);
  ASSERT_EQ(::listen(deaf.get(), 10), 0);
  LinkRoom room({.addresses = {{.path = dir / "s"}}, .connect_deadline = Duration{20}});
  room.on_down = [&] { room.loop.stop(); };
  room.link->start();
  room.loop.run();
  EXPECT_THAT(room.last_reason, HasSubstr("no answer from unix:"));
}

// A server of few words, on the link's own loop: welcomes, and answers pings only if told to.
struct Mute {
  Mute(LinkRoom& with, const std::string& path, bool pongs) : room(with), answers(pongs) {
    SocketAddress address = resolve_quickly({.path = path}).value().front();
    EXPECT_EQ(::bind(listening.get(), address.get(), address.size), 0);
    EXPECT_EQ(::listen(listening.get(), 10), 0);
    EXPECT_TRUE(room.loop.watch_readable(listening.get(), [this] { accept(); }));
  }
  ~Mute() {
    room.loop.unwatch(listening.get());
    if (accepted) room.loop.unwatch(accepted.get());
  }
  void accept() {
    if (accepted) return room.loop.unwatch(listening.get());
    accepted = Fd(::accept(listening.get(), nullptr, nullptr));
    say(encode_welcome({.version = 1, .cluster = "emil"}));
    EXPECT_TRUE(room.loop.watch_readable(accepted.get(), [this] { hear(); }));
  }
  void hear() {
    char buffer[4096];
    ssize_t n = ::recv(accepted.get(), buffer, sizeof buffer, 0);
    std::vector<Frame> frames;
    if (n <= 0) return room.loop.unwatch(accepted.get());
    std::string_view bytes(buffer, static_cast<std::size_t>(n));
    if (bytes.starts_with(kMagic)) bytes.remove_prefix(kPreambleSize);
    EXPECT_TRUE(reader.feed(bytes, frames));
    for (const Frame& frame : frames) {
      if (frame.header.type != static_cast<std::uint16_t>(NetType::Ping)) continue;
      if (++pings == 5) room.loop.stop();
      std::string pong;
      append_frame(pong, {.type = static_cast<std::uint16_t>(NetType::Pong)}, "");
      if (answers) say(pong);
    }
  }
  void say(const std::string& bytes) {
    EXPECT_EQ(::send(accepted.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  LinkRoom& room;
  bool answers;
  int pings = 0;
  Fd listening{::socket(AF_UNIX, SOCK_STREAM, 0)}, accepted;
  FrameReader reader;
};

TEST(Link, NoticesAServerThatFellSilent) {
  TempDir dir;
  LinkRoom room({.addresses = {{.path = dir / "s"}}, .silence = Duration{5}});
  Mute server(room, dir / "s", false);
  room.on_down = [&] { room.loop.stop(); };
  room.link->start();
  room.loop.run();
  EXPECT_EQ(room.losses, 1);
  EXPECT_EQ(server.pings, 2);
  EXPECT_THAT(room.last_reason, HasSubstr("nothing heard"));
}

TEST(Link, AnIdleLinkStaysUpAsLongAsItsPingsAreAnswered) {
  TempDir dir;
  LinkRoom room({.addresses = {{.path = dir / "s"}}, .silence = Duration{20}});
  Mute server(room, dir / "s", true);
  room.link->start();
  room.loop.run();
  EXPECT_EQ(server.pings, 5);
  EXPECT_EQ(room.losses, 0);
  EXPECT_EQ(room.ups, 1);
}

TEST(Server, AnswersPings) {
  EchoServer server;
  Client client = server.client();
  ASSERT_TRUE(client.finish_handshake(kPatience));
  ASSERT_TRUE(client.send({.type = static_cast<std::uint16_t>(NetType::Ping), .correlation = 9}, "",
                          kPatience));
  char pong[64];
  set_blocking(client.fd());
  ASSERT_EQ(::recv(client.fd(), pong, sizeof pong, 0), ssize_t{kFrameHeaderSize});
  EXPECT_EQ(pong[4], static_cast<char>(NetType::Pong));
  EXPECT_EQ(pong[8], 9);
}

TEST(Link, RefusesToQueueWithoutBound) {
  EchoServer server;
  LinkRoom room({.addresses = {server.unix_address()}, .outgoing_max = 10'000});
  int sent = 0;
  room.on_up = [&] {
    while (room.link->send({.type = kSink}, std::string(100, 'x')) == SendResult::Sent) ++sent;
    room.loop.stop();
  };
  room.link->start();
  room.loop.run();
  EXPECT_LE(sent, 100);
}

TEST(RetryDelay, DoublesToItsMaximumAndSpreads) {
  Prng prng(1);
  for (unsigned failures = 1; failures < 40; ++failures) {
    Duration full = std::min(Duration{100} * (1 << std::min(failures - 1, 20u)), Duration{5000});
    for (int i = 0; i < 50; ++i) {
      Duration delay = retry_delay(Duration{100}, Duration{5000}, failures, prng.next());
      EXPECT_GE(delay, full / 2);
      EXPECT_LE(delay, full);
    }
  }
}

}  // namespace
}  // namespace ym
