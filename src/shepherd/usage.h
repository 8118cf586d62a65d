// SPDX-License-Identifier: Apache-2.0
// What the tasks of a step use: read from /proc while their processes live, told by wait4(2) when
// they end.
//
// A task's use is that of its process and of everything that it started. What a process has waited
// for is in its own numbers (cutime, the whole of /proc/PID/io), so the sum over what is alive,
// plus what this process itself has reaped, counts everything once. Costs nothing until the first
// sample() or the first end.
//
// Thread rule: one thread.
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/usage.h"

namespace ym {

// One process as /proc/PID/stat has it.
struct ProcessStat {
  pid_t pid = 0, parent = 0;
  bool zombie = false;
  Usage usage;  // its own, and of the children that it has waited for
};
// Nothing if it makes no sense. `page_kb` and `ticks` (per second) are the machine's.
std::optional<ProcessStat> parse_stat(std::string_view text, std::uint64_t page_kb,
                                      std::uint64_t ticks);
// rchar and wchar of /proc/PID/io into `usage`; what is missing stays.
void parse_io(std::string_view text, Usage& usage);

class UsageMeter {
 public:
  struct Task {
    std::uint32_t rank = 0;
    pid_t pid = 0;
    bool ended = false;
    Usage gone;   // of processes that were reaped here
    Usage usage;  // with what is alive; as of the last sample or end
  };

  void began(pid_t pid, std::uint32_t rank) { tasks_.push_back({.rank = rank, .pid = pid}); }
  // Looks at all descendants of this process: O(processes of the machine).
  void sample();
  // waitpid(-1, status, WNOHANG), with the dead process's use noted.
  pid_t reap(int* status);

  const std::vector<Task>& tasks() const { return tasks_; }
  // Those of the last sample.
  std::vector<std::uint32_t> pids() const;
  StepUsage total(const std::string& node) const;

 private:
  struct Process {
    std::size_t task = 0;
    Usage usage;
  };
  void note_end(pid_t pid, const Usage& usage);
  void sum_up();

  std::vector<Task> tasks_;
  std::map<pid_t, Process> alive_;  // as of the last sample
};

}  // namespace ym
