// SPDX-License-Identifier: Apache-2.0
// Waiting for a job's turn, or for its end, however often the controller restarts in between.
#pragma once
#include <optional>

#include "cli/common/controller.h"

namespace ym::cli {

class JobWatcher {
 public:
  // Over a connection of its own.
  explicit JobWatcher(const Controller& controller) : controller_(controller.another()) {}
  JobWatcher(const Controller& controller, WatchJob watch) : JobWatcher(controller) {
    watch_for(watch);
  }
  // Connects while the caller has other things to do.
  void greet() { controller_.greet(); }
  // Watches where `other` was answered last: one that greeted a controller that has stopped would
  // wait for it.
  void go_with(const Controller& other) { controller_.go_with(other); }
  // What wait() waits for from now on; the answer to what was asked before is not awaited any more.
  void watch_for(WatchJob watch);

  // The answer, if it comes within `timeout`. Errors are the controller's own words: the job is
  // unknown, or not ours.
  Result<std::optional<JobRow>> wait(Duration timeout);
  // To poll(2) on; -1 while there is no connection.
  int fd() const { return fd_; }

 private:
  Result<std::optional<JobRow>> receive();
  void look_elsewhere();
  void lost();

  Controller controller_;
  WatchJob watch_;
  std::uint64_t correlation_ = 0;  // of the last question
  int fd_ = -1;
  bool asked_ = false;
  Duration next_try_{0};
  Duration pause_{50};
  Duration heard_{0};
};

// Blocks until the watcher answers or `interrupted` says so; then there is no row.
template <class Interrupted>
Result<std::optional<JobRow>> wait_for_job(JobWatcher& watcher, const Interrupted& interrupted) {
  for (;;) {
    auto row = watcher.wait(Duration(200));
    if (!row || *row || interrupted()) return row;
  }
}

}  // namespace ym::cli
