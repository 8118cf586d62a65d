// SPDX-License-Identifier: Apache-2.0
#include "x11/relay.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "wire/codec.h"
#include "wire/messages.h"
#include "x11/xauthority.h"

namespace ym {
namespace {

std::array<Fd, 2> pair_of_sockets() {
  int fds[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {Fd(fds[0]), Fd(fds[1])};
}

std::string setup(std::string_view cookie) {
  std::string out("l\0\x0b\0\0\0\x12\0\x10\0\0\0", 12);
  out += kCookieName;
  out += std::string(2, '\0');
  out += cookie;
  return out;
}

const std::string kShown(16, 's'), kReal(16, 'r');

// Both ends of a tunnel, and the server's end of each connection that was made to the display.
struct Both {
  std::vector<Fd> server;
  std::optional<Relay> node, user;
  bool display_is_there = true;

  Both() {
    auto [a, b] = pair_of_sockets();
    node.emplace(Channel(std::move(a)), "", std::nullopt);
    user.emplace(Channel(std::move(b)), "",
                 Relay::Display{.dial = [this]() -> Result<Fd> {
                                  if (!display_is_there) return fail("no display");
                                  auto [here, there] = pair_of_sockets();
                                  server.push_back(std::move(there));
                                  return std::move(here);
                                },
                                .shown = kShown,
                                .real = kReal});
  }
  Fd client() {
    auto [here, there] = pair_of_sockets();
    node->take_client(std::move(there));
    return std::move(here);
  }
  void turn(int times = 50) {
    for (int i = 0; i < times; ++i) {
      std::vector<pollfd> fds;
      node->add_polls(fds);
      user->add_polls(fds);
      ASSERT_GE(::poll(fds.data(), fds.size(), 0), 0);
      std::size_t next = 0;
      node->go_on(fds, next);
      user->go_on(fds, next);
      ASSERT_EQ(next, fds.size());
    }
  }
};

void say(const Fd& fd, std::string_view text) {
  ASSERT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

// Everything that has come; "END" if the other side is gone.
std::string heard(const Fd& fd) {
  std::string out(1 << 20, '\0');
  ssize_t got = ::recv(fd.get(), out.data(), out.size(), MSG_DONTWAIT);
  if (got == 0) return "END";
  out.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return out;
}

TEST(Relay, AClientTalksToTheDisplayUnderItsOwnCookie) {
  Both both;
  Fd client = both.client();
  say(client, setup(kShown) + "draw");
  both.turn();
  ASSERT_EQ(both.server.size(), 1u);
  EXPECT_EQ(heard(both.server[0]), setup(kReal) + "draw");
  say(both.server[0], "event");
  both.turn();
  EXPECT_EQ(heard(client), "event");
}

TEST(Relay, ClientsAreKeptApartAndEndEachForItself) {
  Both both;
  Fd one = both.client(), two = both.client();
  say(one, setup(kShown) + "1");
  say(two, setup(kShown) + "2");
  both.turn();
  ASSERT_EQ(both.server.size(), 2u);
  EXPECT_TRUE(heard(both.server[0]).ends_with("1"));
  EXPECT_TRUE(heard(both.server[1]).ends_with("2"));
  say(one, "last words");
  one = Fd();
  both.turn();
  EXPECT_EQ(heard(both.server[0]), "last words");
  EXPECT_EQ(heard(both.server[0]), "END");
  say(both.server[1], "still here");
  both.turn();
  EXPECT_EQ(heard(two), "still here");
  both.server[1] = Fd();
  both.turn();
  EXPECT_EQ(heard(two), "END");
  EXPECT_FALSE(both.node->over() || both.user->over());
}

TEST(Relay, AStrangerHearsWhyAndTheDisplayHearsNothing) {
  Both both;
  Fd client = both.client();
  say(client, setup(std::string(16, 'x')));
  both.turn();
  std::string answer = heard(client);
  EXPECT_EQ(answer.front(), '\0');
  EXPECT_NE(answer.find("without the job's cookie"), std::string::npos);
  EXPECT_EQ(heard(client), "END");
  EXPECT_EQ(heard(both.server.at(0)), "END");
}

TEST(Relay, WithoutADisplayClientsEnd) {
  Both both;
  both.display_is_there = false;
  Fd client = both.client();
  both.turn();
  EXPECT_EQ(heard(client), "END");
}

TEST(Relay, AClientThatDoesNotReadHoldsUpNobody) {
  Both both;
  Fd lazy = both.client(), busy = both.client();
  say(lazy, setup(kShown));
  say(busy, setup(kShown));
  both.turn();
  ASSERT_EQ(both.server.size(), 2u);
  // Far more than a window: the server is stopped when that is full.
  std::string flood(1 << 20, 'f');
  std::size_t sent = 0;
  for (int i = 0; i < 64; ++i) {
    ssize_t wrote =
        ::send(both.server[0].get(), flood.data(), flood.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote > 0) sent += static_cast<std::size_t>(wrote);
    both.turn(20);
  }
  EXPECT_LT(sent, 8u << 20);
  say(both.server[1], "event");
  both.turn();
  EXPECT_EQ(heard(busy), "event");
  // And it goes on when it reads.
  std::size_t got = 0;
  for (int i = 0; i < 2000 && got < sent; ++i) {
    std::string some = heard(lazy);
    ASSERT_NE(some, "END");
    got += some.size();
    both.turn(2);
  }
  EXPECT_EQ(got, sent);
}

TEST(Relay, TheOtherEndIsGone) {
  Both both;
  Fd client = both.client();
  both.user.reset();
  std::vector<pollfd> fds;
  both.node->add_polls(fds);
  ::poll(fds.data(), fds.size(), 0);
  std::size_t next = 0;
  both.node->go_on(fds, next);
  EXPECT_TRUE(both.node->over());
}

TEST(Relay, NonsenseInTheTunnelEndsIt) {
  auto [a, b] = pair_of_sockets();
  std::string bytes;
  append_frame(bytes, {.type = wire::message_number<X11Data>}, "\xff\xff\xff");
  Relay relay(Channel(std::move(a)), bytes, std::nullopt);
  EXPECT_TRUE(relay.over());
}

}  // namespace
}  // namespace ym
