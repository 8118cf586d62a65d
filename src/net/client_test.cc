// SPDX-License-Identifier: Apache-2.0
// A client that never waits: many at once in one thread.
#include "net/client.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "net/test_room.h"

namespace ym {
namespace {

// Polls until the client has a frame or fails.
Result<Frame> next_frame(Client& client) {
  for (;;) {
    auto frame = client.poll_frame();
    if (!frame) return std::unexpected(frame.error());
    if (*frame) return std::move(**frame);
    pollfd wait{.fd = client.fd(), .events = client.wanted(), .revents = 0};
    if (::poll(&wait, 1, static_cast<int>(kPatience.count())) == 0) return fail("a hang");
  }
}

TEST(Client, SeveralThatDoNotWaitAreServedBesideEachOther) {
  EchoServer room;
  std::vector<Client> clients;
  for (int n = 0; n < 20; ++n) {
    auto client = n % 2 ? Client::begin(room.tcp_address(), {.token = test_token()})
                        : Client::begin(room.unix_address(), {});
    ASSERT_TRUE(client) << client.error().text;
    ASSERT_TRUE(client->queue({.type = kEcho, .correlation = 7}, std::string(100'000, 'x')));
    clients.push_back(std::move(*client));
  }
  for (Client& client : clients) ASSERT_TRUE(client.advance());
  for (Client& client : clients) {
    auto frame = next_frame(client);
    ASSERT_TRUE(frame) << frame.error().text;
    EXPECT_EQ(frame->header.correlation, 7u);
    EXPECT_EQ(frame->payload.size(), 100'000u);
    EXPECT_TRUE(client.welcomed());
  }
}

TEST(Client, WhoBeganWithoutWaitingMayCallAsEver) {
  EchoServer room;
  auto client = Client::begin(room.tcp_address(), {.token = test_token()});
  ASSERT_TRUE(client);
  auto answer = client->call(kEcho, "hello", kPatience);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->payload, "hello");
}

TEST(Client, OneThatIsRefusedHearsWhy) {
  EchoServer room;
  auto client = Client::begin(room.tcp_address(), {.token = "nonsense"});
  ASSERT_TRUE(client);
  auto frame = next_frame(*client);
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().text.find("three parts"), std::string::npos) << frame.error().text;
}

TEST(Client, APortThatNobodyListensOnIsAnErrorWithItsName) {
  auto client = Client::begin({.host = "127.0.0.1", .port = 1}, {});
  Result<Frame> frame = client ? next_frame(*client) : std::unexpected(client.error());
  ASSERT_FALSE(frame);
  EXPECT_NE(frame.error().text.find("cannot connect to 127.0.0.1:1: Connection refused"),
            std::string::npos)
      << frame.error().text;
  auto nowhere = Client::begin({.path = "/nonexistent/x.sock"}, {});
  EXPECT_FALSE(nowhere);
}

}  // namespace
}  // namespace ym
