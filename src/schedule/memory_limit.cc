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

}  // namespace ym
