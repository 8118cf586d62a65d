// SPDX-License-Identifier: Apache-2.0
// Threads for what may block while somebody says hello: a network thread has others to serve.
// Thread rule: run from any thread; stop by the owner, who is not one of these threads.
//
// Invariant: no more than `room` wait; who comes then is told to come back later.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"

namespace ym {

class Aside {
 public:
  struct Limits {
    std::size_t threads = 2, room = 100;
  };
  Aside() : Aside(Limits{}) {}
  explicit Aside(Limits limits) : limits_(limits) {}
  ~Aside() { stop(); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  // The threads start with the first work.
  Status run(std::function<void()> work);
  // What waits is forgotten, what runs is waited for.
  void stop();

 private:
  void serve();

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  bool stopped_ = false;
};

}  // namespace ym
