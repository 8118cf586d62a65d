// SPDX-License-Identifier: Apache-2.0
// For tests: a controller of straw that speaks the real protocol, and keeps the newest of what it
// is told.
#pragma once
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/server.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

inline constexpr Duration kTestPatience = std::chrono::seconds(30);

class FakeController {
 public:
  explicit FakeController(const std::string& socket) {
    ServerHandlers handlers;
    handlers.on_frames = [this](ConnectionId from, const Peer&, std::vector<Frame> frames) {
      take(from, frames);
    };
    server_ = std::make_unique<Server>(ServerOptions{.cluster = "straw"}, std::move(handlers));
    auto listening = server_->listen_unix(socket, 0666);
    EXPECT_TRUE(listening) << listening.error().text;
  }
  template <class T>
  void send(const T& message) {
    std::lock_guard lock(mutex_);
    server_->send(node_, {.type = wire::message_number<T>}, wire::encode(message));
  }
  // The newest report of the attempt, once it is as wanted.
  AttemptReport wait_for(Sluid sluid, const std::function<bool(const AttemptReport&)>& wanted) {
    std::unique_lock lock(mutex_);
    bool came = changed_.wait_for(
        lock, kTestPatience, [&] { return attempts_.contains(sluid) && wanted(attempts_[sluid]); });
    EXPECT_TRUE(came) << "no such report";
    return attempts_[sluid];
  }
  AttemptReport wait_clean(Sluid sluid) {
    return wait_for(
        sluid, [](const AttemptReport& report) { return report.phase == AttemptPhase::Clean; });
  }
  StepReport wait_step(StepId step) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return steps_.contains(step); }));
    return steps_[step];
  }
  // The number of complete reports so far, once there are so many.
  NodeReport wait_registered(int count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return registrations_ >= count; }));
    return complete_;
  }
  void forget_reports() {
    std::lock_guard lock(mutex_);
    attempts_.clear();
    steps_.clear();
  }

 private:
  void take(ConnectionId from, const std::vector<Frame>& frames) {
    std::lock_guard lock(mutex_);
    for (const Frame& frame : frames) {
      if (frame.header.type != wire::message_number<NodeReport>) continue;
      auto report = wire::decode<NodeReport>(frame.payload);
      if (!report) continue;
      node_ = from;
      for (const AttemptReport& one : report->attempts) attempts_[one.sluid] = one;
      for (const StepReport& one : report->ended_steps) steps_[one.step] = one;
      if (report->complete) {
        complete_ = *report;
        ++registrations_;
      }
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  ConnectionId node_;
  NodeReport complete_;
  int registrations_ = 0;
  std::map<Sluid, AttemptReport> attempts_;
  std::map<StepId, StepReport> steps_;
  std::unique_ptr<Server> server_;
};

}  // namespace ym
