// SPDX-License-Identifier: Apache-2.0
// MaxMemPerNode and MaxMemPerCPU of partitions.
#pragma once
#include "model/job.h"
#include "model/partition.h"

namespace ym {

// More memory on a node or for a CPU than the partition allows.
bool exceeds_memory(const PartitionSpec& partition, const JobSpec& spec);

// More memory for a CPU than MaxMemPerCPU becomes memory for a task: it gets more CPUs, each with
// as much less. What the job gets in all stays the same, but for what rounding adds.
void spread_memory(const PartitionSpec& partition, JobSpec& spec);

}  // namespace ym
