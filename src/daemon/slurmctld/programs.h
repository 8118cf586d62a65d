// SPDX-License-Identifier: Apache-2.0
// PrologSlurmctld and EpilogSlurmctld, off the core's thread. Any thread may call.
#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "controller/outbox.h"
#include "daemon/slurmctld/queue.h"
#include "model/config.h"
#include "os/log.h"

namespace ym {

class Programs {
 public:
  // So many run at once; others wait for their turn.
  static constexpr std::size_t kAtOnce = 16;
  static constexpr std::size_t kWaitingMax = 1'000'000;

  // With an empty error if it succeeded.
  using OnEnd = std::function<void(const ControllerProgram&, const std::string& error)>;
  Programs(std::string config_path, Log& log, OnEnd on_end);
  ~Programs();

  void run(ControllerProgram program, const ClusterConfig& config);
  // What runs goes on; its end is nobody's business any more. After a restart a job that was
  // configuring gets its prolog again, one whose epilog had not ended that.
  void stop();

 private:
  struct Work {
    ControllerProgram program;
    std::string pattern;
    Duration limit{0};
  };
  void work();
  std::string run_all(const Work& work, bool& abandoned) const;

  const std::string config_path_;
  Log& log_;
  const OnEnd on_end_;
  BoundedQueue<Work> queue_{kWaitingMax};
  std::mutex mutex_;
  std::vector<std::jthread> threads_;  // guarded by mutex_; begun with the first program
};

}  // namespace ym
