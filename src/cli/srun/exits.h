// SPDX-License-Identifier: Apache-2.0
// How the tasks of a step ended: what is said about it, and what srun's own exit code is.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/step.h"

namespace ym::cli {

class TaskExits {
 public:
  // Which node each task is on, by task number. `once_each`: of tasks that end alike, only the
  // first news is told.
  explicit TaskExits(std::vector<std::string> nodes, bool once_each = false);

  // False if it was known already.
  bool record(std::uint32_t task, ExitStatus exit);
  bool all_ended() const { return left_ == 0; }
  // The highest code; 128 and the signal for a task that was killed.
  int exit_code() const;
  // "n1: task 0: Exited with exit code 7" and "n1: tasks 0-1: Killed", for those that failed and
  // were not told yet.
  std::vector<std::string> news();
  // "tasks 0-1: running"
  std::vector<std::string> status() const;

 private:
  std::string range_text(const std::vector<std::uint32_t>& tasks) const;

  std::vector<std::string> nodes_;
  std::vector<std::optional<ExitStatus>> exits_;
  std::vector<std::uint32_t> untold_;
  bool once_each_;
  std::set<ExitStatus> told_;  // once_each_
  std::size_t left_ = 0;
};

}  // namespace ym::cli
