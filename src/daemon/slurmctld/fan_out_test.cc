// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/fan_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <memory>

#include "net/client.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr Duration kLong = std::chrono::minutes(10);

// A controller's side with nodes of straw: connections whose other ends the test reads.
class FanOutTest : public ::testing::Test {
 protected:
  FanOutTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-fan-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    ServerHandlers handlers;
    handlers.on_open = [this](ConnectionId id, const Peer&) {
      std::lock_guard lock(mutex_);
      routes_.push_back(id);
      changed_.notify_all();
    };
    handlers.on_frames = [this](ConnectionId id, const Peer&, const std::vector<Frame>& frames) {
      for (const Frame& frame : frames) fan_out_->answered(id, frame);
    };
    handlers.on_close = [this](ConnectionId id, const std::string&) { fan_out_->lost(id); };
    server_ = std::make_unique<Server>(ServerOptions{.cluster = "straw"}, std::move(handlers));
    fan_out_ = std::make_unique<FanOut>(*server_, 1000);
    EXPECT_TRUE(server_->listen_unix(dir_ + "/sock", 0600));
  }
  ~FanOutTest() override {
    server_->stop();
    std::filesystem::remove_all(dir_);
  }

  void add_nodes(std::uint32_t count) {
    for (std::uint32_t id = 1; id <= count; ++id) {
      auto client = Client::connect({.path = dir_ + "/sock"}, {.cluster = "straw"});
      ASSERT_TRUE(client);
      ASSERT_TRUE(client->finish_handshake(kPatience));
      clients_.push_back(std::move(*client));
      std::unique_lock lock(mutex_);
      ASSERT_TRUE(changed_.wait_for(lock, kPatience, [&] { return routes_.size() == id; }));
      NodeSpec spec{.name = name(id)};
      batch_.state.nodes.put(
          id, Node{.id = NodeId{id}, .spec = Ref<NodeSpec>(spec), .registration = {}});
    }
  }
  static std::string name(std::uint32_t id) { return "n" + std::to_string(id); }
  void order_for_all(const NodeMessage& message) {
    for (std::uint32_t id = 1; id <= clients_.size(); ++id)
      batch_.orders.push_back({.node = NodeId{id}, .message = message});
  }
  std::size_t send(std::uint32_t width, Duration timeout = kLong) {
    std::vector<ConnectionId> routes;
    {
      std::lock_guard lock(mutex_);
      for (const Order& order : batch_.orders) routes.push_back(routes_[order.node.value - 1]);
    }
    std::vector<bool> taken = fan_out_->send(batch_, routes, width, timeout);
    return static_cast<std::size_t>(std::count(taken.begin(), taken.end(), true));
  }
  Frame next(std::uint32_t id) {
    auto frame = clients_[id - 1].receive(kPatience);
    EXPECT_TRUE(frame) << name(id) << ": " << frame.error().text;
    return frame ? *frame : Frame{};
  }
  TreeOrder order_at(std::uint32_t id, std::uint64_t& correlation) {
    Frame frame = next(id);
    EXPECT_EQ(frame.header.type, wire::message_number<TreeOrder>);
    correlation = frame.header.correlation;
    auto order = wire::decode<TreeOrder>(frame.payload);
    EXPECT_TRUE(order);
    return order ? *order : TreeOrder{};
  }
  void answer(std::uint32_t id, std::uint64_t correlation, const TreeAnswers& answers) {
    EXPECT_TRUE(clients_[id - 1].send(
        {.type = wire::message_number<TreeAnswers>, .correlation = correlation},
        wire::encode(answers), kPatience));
  }
  static std::vector<std::string> names(const std::vector<NodeAddress>& nodes) {
    std::vector<std::string> out;
    for (const NodeAddress& node : nodes) out.push_back(node.name);
    return out;
  }

  const KillJob kill_{.job = JobId{5}, .sluid = Sluid{50}};
  std::string dir_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ConnectionId> routes_;  // by node, guarded by mutex_
  std::unique_ptr<Server> server_;
  std::unique_ptr<FanOut> fan_out_;
  std::vector<Client> clients_;  // by node
  Batch batch_;
};

TEST_F(FanOutTest, AWideKillGoesToTheHeadsAndWhoeverIsNotReachedIsToldDirectly) {
  add_nodes(5);
  order_for_all(kill_);
  EXPECT_EQ(send(2), 5u);
  std::uint64_t first = 0, second = 0;
  TreeOrder one = order_at(1, first), two = order_at(4, second);
  EXPECT_EQ(names(one.forward), (std::vector<std::string>{"n2", "n3"}));
  EXPECT_EQ(names(two.forward), (std::vector<std::string>{"n5"}));
  EXPECT_EQ(one.payload, wire::encode(kill_));
  EXPECT_NE(one.id, 0u);
  answer(1, first, {.rows = {{.node = "n1"}, {.node = "n2"}, {.node = "n3", .error = "gone"}}});
  Frame direct = next(3);
  EXPECT_EQ(direct.header.type, wire::message_number<KillJob>);
  EXPECT_EQ(direct.payload, wire::encode(kill_));
  // A head that vanishes leaves its nodes to the controller.
  clients_[3] = Client::adopt(-1, {});
  EXPECT_EQ(next(5).header.type, wire::message_number<KillJob>);
}

TEST_F(FanOutTest, AHeadThatSaysNothingIsNotWaitedForForEver) {
  add_nodes(3);
  order_for_all(kill_);
  EXPECT_EQ(send(2, Duration(50)), 3u);
  EXPECT_EQ(next(2).header.type, wire::message_number<KillJob>);
}

TEST_F(FanOutTest, FewNodesAndOtherOrdersGoDirectly) {
  add_nodes(4);
  order_for_all(kill_);
  EXPECT_EQ(send(4), 0u);
  batch_.orders.clear();
  order_for_all(SuspendJob{.job = JobId{5}, .sluid = Sluid{50}});
  EXPECT_EQ(send(2), 0u);
  // Kills of different jobs are different orders.
  batch_.orders.clear();
  for (std::uint32_t id = 1; id <= 4; ++id) {
    KillJob one = kill_;
    one.job = JobId{id};
    batch_.orders.push_back({.node = NodeId{id}, .message = one});
  }
  EXPECT_EQ(send(2), 0u);
}

TEST_F(FanOutTest, OnlyTheHeadItselfAnswersForItsPart) {
  add_nodes(3);
  order_for_all(kill_);
  EXPECT_EQ(send(2), 3u);
  std::uint64_t number = 0;
  order_at(1, number);
  answer(3, number, {.rows = {{.node = "n1"}, {.node = "n2"}}});
  answer(1, number, {.rows = {}});
  EXPECT_EQ(next(2).header.type, wire::message_number<KillJob>);
}

}  // namespace
}  // namespace ym
