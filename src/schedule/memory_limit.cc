// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory_limit.h"

#include <algorithm>

namespace ym {

bool exceeds_memory(const PartitionSpec& partition, const JobSpec& spec) {
  std::uint64_t per_node = partition.max_memory_per_node_mb,
                per_cpu = partition.max_memory_per_cpu_mb;
  // A task's CPUs are on one node.
  std::uint64_t least =
      std::max(spec.memory_per_node_mb,
               spec.memory_per_cpu_mb * std::max(spec.cpus_per_task, spec.min_cpus_per_node));
  return (per_node && least > per_node) || (per_cpu && spec.memory_per_cpu_mb > per_cpu);
}

void spread_memory(const PartitionSpec& partition, JobSpec& spec) {
  std::uint64_t limit = partition.max_memory_per_cpu_mb, wanted = spec.memory_per_cpu_mb;
  if (!limit || wanted <= limit) return;
  std::uint64_t times = wanted / limit + (wanted % limit != 0);
  constexpr std::uint64_t kCpusMax = 0xffff;  // beyond any node: it is refused, or waits for ever
  auto more = [&](std::uint64_t cpus) {
    std::uint64_t all =
        std::min(std::max<std::uint64_t>(1, cpus), kCpusMax) * std::min(times, kCpusMax);
    return static_cast<std::uint32_t>(std::min(all, kCpusMax));
  };
  spec.cpus_per_task = more(spec.cpus_per_task);
  if (spec.min_cpus_per_node) spec.min_cpus_per_node = more(spec.min_cpus_per_node);
  spec.memory_per_cpu_mb = wanted / times + (wanted % times != 0);
}

}  // namespace ym
