// SPDX-License-Identifier: Apache-2.0
// Says again and again that the leader is well, on a thread of its own: nothing that the controller
// does may keep it from that, and if it finds that another leads, nobody else has to.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/time.h"
#include "os/log.h"
#include "store/log_home.h"

namespace ym {

class LeaseKeeper {
 public:
  // REQUIRES: leads. `lost` is called once at most, on this thread.
  LeaseKeeper(LogHome& home, Duration lease_time, std::function<void(const std::string&)> lost,
              Log& log);
  ~LeaseKeeper();

  // Whether the lead was ours a moment ago, by our own clock. One who was stopped for longer than
  // the lease is not sure any more.
  bool sure() const;

 private:
  void run();

  LogHome& home_;
  const Duration lease_time_;
  const std::function<void(const std::string&)> lost_;
  Log& log_;
  std::atomic<Duration::rep> renewed_;  // by the monotonic clock
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace ym
