// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/exits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.h"
#include "cli/common/signals.h"
#include "notation/array.h"

namespace ym::cli {

TaskExits::TaskExits(std::vector<std::string> nodes, bool once_each)
    : nodes_(std::move(nodes)),
      exits_(nodes_.size()),
      once_each_(once_each),
      left_(nodes_.size()) {}

bool TaskExits::record(std::uint32_t task, ExitStatus exit) {
  if (task >= exits_.size() || exits_[task]) return false;
  exits_[task] = exit;
  --left_;
  if (!exit.ok()) untold_.push_back(task);
  return true;
}

int TaskExits::exit_code() const {
  int highest = 0;
  for (const auto& exit : exits_)
    if (exit) highest = std::max(highest, exit->signal ? 128 + exit->signal : int{exit->code});
  return highest;
}

std::string TaskExits::range_text(const std::vector<std::uint32_t>& tasks) const {
  IndexSet set;
  for (std::uint32_t task : tasks) set.insert(task);
  return fmt::format("{} {}", tasks.size() == 1 ? "task" : "tasks", set.str());
}

std::vector<std::string> TaskExits::news() {
  std::map<std::pair<std::string, ExitStatus>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t task : untold_) groups[{nodes_[task], *exits_[task]}].push_back(task);
  untold_.clear();
  std::vector<std::string> out;
  for (const auto& [key, tasks] : groups) {
    const auto& [node, exit] = key;
    if (once_each_ && !told_.insert(exit).second) continue;
    std::string how =
        exit.signal ? signal_text(exit.signal) : fmt::format("Exited with exit code {}", exit.code);
    out.push_back(fmt::format("{}: {}: {}", node, range_text(tasks), how));
  }
  return out;
}

std::vector<std::string> TaskExits::status() const {
  std::vector<std::uint32_t> running, ended;
  for (std::uint32_t task = 0; task < exits_.size(); ++task)
    (exits_[task] ? ended : running).push_back(task);
  std::vector<std::string> out;
  if (!running.empty()) out.push_back(range_text(running) + ": running");
  if (!ended.empty()) out.push_back(range_text(ended) + ": exited");
  return out;
}

}  // namespace ym::cli
