// SPDX-License-Identifier: Apache-2.0
// Programs of triggers, MailProg, SuspendProgram and the like: nobody waits for their end. Any
// thread may call.
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

  // They find the configuration in SLURM_CONF.
  SidePrograms(std::string config_path, Log& log)
      : config_path_(std::move(config_path)), log_(log) {}
  ~SidePrograms() { stop(); }
  void run(SideProgram program);
  // What runs goes on.
  void stop();

 private:
  void work();
  void run_one(const SideProgram& program) const;

  const std::string config_path_;
  Log& log_;
  BoundedQueue<SideProgram> queue_{kWaitingMax};
  std::mutex mutex_;
  std::vector<std::jthread> threads_;  // guarded by mutex_; begun with the first program
};

}  // namespace ym
