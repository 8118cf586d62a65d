// SPDX-License-Identifier: Apache-2.0
// MaxMemPerNode and MaxMemPerCPU of partitions.
#pragma once
#include "model/job.h"
#include "model/partition.h"

namespace ym {

// More memory on a node or for a CPU than the partition allows.
bool exceeds_memory(const PartitionSpec& partition, const JobSpec& spec);

}  // namespace ym
