// SPDX-License-Identifier: Apache-2.0
// What processes have used: samples of running tasks, and what a step leaves for accounting.
#pragma once
#include <cstdint>
#include <string>

namespace ym {

// Of one task with everything that it started, or the sum over tasks.
struct Usage {
  std::uint64_t user_ms = 0, system_ms = 0;
  std::uint64_t rss_kb = 0, max_rss_kb = 0;  // now, and the highest seen
  std::uint64_t vm_kb = 0, max_vm_kb = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t read_bytes = 0, write_bytes = 0;  // of the calls, not of the disk
  bool operator==(const Usage&) const = default;
};

struct TaskUsage {
  std::uint32_t rank = 0;
  std::uint32_t pid = 0;
  Usage usage;
  bool operator==(const TaskUsage&) const = default;
};

// The task with the most (or least) of something.
struct Extreme {
  std::uint64_t value = 0;
  std::uint32_t task = 0;
  std::string node;
  bool operator==(const Extreme&) const = default;
};

// Over the tasks of a step. `tasks` 0: nothing was measured.
struct StepUsage {
  std::uint32_t tasks = 0;
  Usage total;  // max_* are sums of the tasks' maxima: averages come from these
  Extreme max_rss_kb, max_vm_kb, max_faults, max_read, max_write, min_cpu_ms;
  bool operator==(const StepUsage&) const = default;
};

void add_task(StepUsage& step, const TaskUsage& task, const std::string& node);
// Of another node's part of the same step.
void merge(StepUsage& step, const StepUsage& other);

}  // namespace ym
