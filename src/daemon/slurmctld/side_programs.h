// SPDX-License-Identifier: Apache-2.0
// Programs of triggers and MailProg: nobody waits for their end. Any thread may call.
#pragma once
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "controller/outbox.h"
#include "daemon/slurmctld/queue.h"
#include "os/log.h"

namespace ym {

class SidePrograms {
 public:
  // So many run at once; others wait for their turn, up to a number: beyond that they are dropped,
  // and the log says so.
  static constexpr std::size_t kAtOnce = 4;
  static constexpr std::size_t kWaitingMax = 10'000;
  // Slurm's: then it is killed with all that it started.
  static constexpr Duration kLimit = std::chrono::minutes(5);

  explicit SidePrograms(Log& log) : log_(log) {}
  ~SidePrograms() { stop(); }
  void run(SideProgram program);
  // What runs goes on.
  void stop();

 private:
  void work();
  void run_one(const SideProgram& program) const;

  Log& log_;
  BoundedQueue<SideProgram> queue_{kWaitingMax};
  std::mutex mutex_;
  std::vector<std::jthread> threads_;  // guarded by mutex_; begun with the first program
};

}  // namespace ym
