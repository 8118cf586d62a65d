// SPDX-License-Identifier: Apache-2.0
#include "net/aside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>

#include "net/test_room.h"

namespace ym {
namespace {

using testing::HasSubstr;

TEST(Aside, RunsWhatThereIsRoomForAndTellsOthersToComeBack) {
  std::counting_semaphore<100> begun{0}, go{0};
  std::atomic<int> done = 0;
  Aside aside({.threads = 2, .room = 3});
  auto work = [&] {
    begun.release();
    go.acquire();
    ++done;
  };
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(aside.run(work));
  for (int i = 0; i < 2; ++i) begun.acquire();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(aside.run(work));
  Status sixth = aside.run(work);
  ASSERT_FALSE(sixth);
  EXPECT_THAT(sixth.error().text, HasSubstr("come back later"));
  go.release(5);
  for (int i = 0; i < 3; ++i) begun.acquire();
  aside.stop();
  EXPECT_EQ(done, 5);
  EXPECT_FALSE(aside.run(work));
}

// A munged that does not answer: whoever proves himself otherwise is served, by one network thread.
TEST(Server, WhoIsAuthenticatedSlowlyHoldsUpNobodyElse) {
  std::counting_semaphore<1000> go{0};
  Authenticate quick = authenticate_with(test_key(), "emil", [] { return kTestNow; });
  {
    EchoServer room(
        {.authenticate = [&](std::string_view token, std::string_view binding) -> Result<Peer> {
           if (token != "slow") return quick(token, binding);
           go.acquire();
           return Peer{.kind = PeerKind::Token, .uid = 7, .gid = 7};
         },
         .may_block = [](std::string_view token) { return token == "slow"; },
         .handshake_deadline = kPatience});
    std::vector<Client> slow;
    for (int i = 0; i < 102; ++i) {
      slow.push_back(Client::connect(room.tcp_address(), {.token = "slow"}).value());
      ASSERT_TRUE(slow.back().queue({.type = kEcho, .correlation = 1}, "early"));
    }
    for (int i = 0; i < 3; ++i) {
      Client other = Client::connect(room.tcp_address(), {.token = test_token()}).value();
      auto answer = other.call(kEcho, "x", kPatience);
      ASSERT_TRUE(answer) << answer.error().text;
      EXPECT_TRUE(room.client().call(kEcho, "x", kPatience));
    }
    go.release(102);
    for (Client& client : slow) {
      auto answer = client.receive(kPatience);
      ASSERT_TRUE(answer) << answer.error().text;
      EXPECT_EQ(answer->payload, "early") << "what came with the hello is not lost";
    }
    // Whoever goes away meanwhile is not missed, nor a server that stops.
    Client gone = Client::connect(room.tcp_address(), {.token = "slow"}).value();
    ASSERT_TRUE(gone.queue({.type = kEcho, .correlation = 1}, "x"));
    go.release();
  }
}

TEST(Server, WhoIsAuthenticatedForTooLongIsToldToComeBack) {
  std::binary_semaphore go{0};
  EchoServer room({.authenticate = [&](std::string_view, std::string_view) -> Result<Peer> {
                     go.acquire();
                     return fail("too late");
                   },
                   .may_block = [](std::string_view) { return true; },
                   .handshake_deadline = Duration{30}});
  Client client = Client::connect(room.tcp_address(), {.token = "slow"}).value();
  auto answer = client.call(kEcho, "x", kPatience);
  go.release();
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("authentication took longer than 30 ms"));
}

}  // namespace
}  // namespace ym
