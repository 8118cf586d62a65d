// SPDX-License-Identifier: Apache-2.0
#include "schedule/memory_limit.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(MemoryLimit, CountsWhatANodeMustAtLeastGive) {
  PartitionSpec partition{.max_memory_per_node_mb = 1000};
  EXPECT_FALSE(exceeds_memory(partition, {.memory_per_node_mb = 1000}));
  EXPECT_TRUE(exceeds_memory(partition, {.memory_per_node_mb = 1001}));
  EXPECT_FALSE(exceeds_memory(partition, {.cpus_per_task = 2, .memory_per_cpu_mb = 500}));
  EXPECT_TRUE(exceeds_memory(partition, {.cpus_per_task = 3, .memory_per_cpu_mb = 500}));
}

TEST(MemoryLimit, OfCpusIsAboutTheMemoryOfEach) {
  PartitionSpec partition{.max_memory_per_cpu_mb = 100};
  EXPECT_TRUE(exceeds_memory(partition, {.memory_per_cpu_mb = 101}));
  EXPECT_FALSE(exceeds_memory(partition, {.memory_per_cpu_mb = 100}));
  EXPECT_FALSE(exceeds_memory(partition, {.memory_per_node_mb = 5000}));
  EXPECT_FALSE(exceeds_memory({}, {.memory_per_node_mb = 5000}));
}

}  // namespace
}  // namespace ym
