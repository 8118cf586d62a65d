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

TEST(MemoryLimit, MoreThanACpuMayHaveIsSpreadOverSeveral) {
  PartitionSpec partition{.max_memory_per_cpu_mb = 100};
  JobSpec spec{.cpus_per_task = 2, .min_cpus_per_node = 3, .memory_per_cpu_mb = 250};
  spread_memory(partition, spec);
  EXPECT_EQ(spec.cpus_per_task, 6u);
  EXPECT_EQ(spec.min_cpus_per_node, 9u);
  EXPECT_EQ(spec.memory_per_cpu_mb, 84u) << "never less than what was asked for";
  EXPECT_FALSE(exceeds_memory(partition, spec));
  JobSpec before = spec;
  spread_memory(partition, spec);
  EXPECT_EQ(spec, before);
  spread_memory({}, spec);
  EXPECT_EQ(spec, before);
}

TEST(MemoryLimit, AnAbsurdWishDoesNotOverflow) {
  PartitionSpec partition{.max_memory_per_cpu_mb = 1};
  JobSpec spec{.cpus_per_task = 0xffffffff, .memory_per_cpu_mb = ~std::uint64_t{0} / 2};
  spread_memory(partition, spec);
  EXPECT_EQ(spec.cpus_per_task, 0xffffu);
}

}  // namespace
}  // namespace ym
