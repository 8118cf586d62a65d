// SPDX-License-Identifier: Apache-2.0
#include "model/usage.h"

namespace ym {
namespace {

void add(Usage& sum, const Usage& one) {
  sum.user_ms += one.user_ms;
  sum.system_ms += one.system_ms;
  sum.rss_kb += one.rss_kb;
  sum.max_rss_kb += one.max_rss_kb;
  sum.vm_kb += one.vm_kb;
  sum.max_vm_kb += one.max_vm_kb;
  sum.major_faults += one.major_faults;
  sum.read_bytes += one.read_bytes;
  sum.write_bytes += one.write_bytes;
}

// Of equals the lowest task: the order in which nodes come must not matter.
void raise(Extreme& known, const Extreme& other, bool first) {
  bool tie = other.value == known.value && other.task < known.task;
  if (first || other.value > known.value || tie) known = other;
}
void lower(Extreme& known, const Extreme& other, bool first) {
  bool tie = other.value == known.value && other.task < known.task;
  if (first || other.value < known.value || tie) known = other;
}

}  // namespace

void add_task(StepUsage& step, const TaskUsage& task, const std::string& node) {
  auto of_task = [&](std::uint64_t value) { return Extreme{value, task.rank, node}; };
  const Usage& usage = task.usage;
  merge(step, {.tasks = 1,
               .total = usage,
               .max_rss_kb = of_task(usage.max_rss_kb),
               .max_vm_kb = of_task(usage.max_vm_kb),
               .max_faults = of_task(usage.major_faults),
               .max_read = of_task(usage.read_bytes),
               .max_write = of_task(usage.write_bytes),
               .min_cpu_ms = of_task(usage.user_ms + usage.system_ms)});
}

void merge(StepUsage& step, const StepUsage& other) {
  if (other.tasks == 0) return;
  bool first = step.tasks == 0;
  step.tasks += other.tasks;
  add(step.total, other.total);
  raise(step.max_rss_kb, other.max_rss_kb, first);
  raise(step.max_vm_kb, other.max_vm_kb, first);
  raise(step.max_faults, other.max_faults, first);
  raise(step.max_read, other.max_read, first);
  raise(step.max_write, other.max_write, first);
  lower(step.min_cpu_ms, other.min_cpu_ms, first);
}

}  // namespace ym
