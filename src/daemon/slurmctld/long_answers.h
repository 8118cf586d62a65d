// SPDX-License-Identifier: Apache-2.0
// Answers too long for one go: the rest of them is made on a thread of its own, which gives way to
// all others, in portions, as their readers take them. Users take turns. So a thousand listings of
// a long queue hold up neither a short question nor the core.
//
// Thread rule: any thread may call. Of one connection begin, go_on and forget come in order.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "daemon/slurmctld/fair_queue.h"
#include "net/peer.h"

namespace ym {

class LongAnswers {
 public:
  // Sends a portion; true if there is more to send once the reader has taken it.
  using Portion = std::move_only_function<bool()>;

  LongAnswers();
  ~LongAnswers();

  // The first portion was sent, and the reader is behind. What the connection had is forgotten.
  void begin(ConnectionId connection, std::uint32_t uid, Portion next);
  // Its reader has room for more.
  void go_on(ConnectionId connection);
  void forget(ConnectionId connection);
  // No portion is made afterwards.
  void stop();

  std::size_t size() const;

 private:
  struct Answer {
    std::uint64_t number = 0;
    std::uint32_t uid = 0;
    Portion next;           // empty while a portion is made
    bool has_turn = false;  // waits for it, or a portion is made
    bool again = false;     // there was room meanwhile
  };
  void run();
  void make_portion(ConnectionId connection);
  void want_turn(ConnectionId connection, Answer& answer);

  FairQueue<ConnectionId> turns_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Answer> answers_;  // by connection; guarded by mutex_
  std::uint64_t last_ = 0;                   // guarded by mutex_
  std::jthread thread_;
};

}  // namespace ym
