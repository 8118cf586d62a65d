// SPDX-License-Identifier: Apache-2.0
#include "agent/topology.h"

#include <gtest/gtest.h>

namespace ym::agent {
namespace {

TEST(Topology, OfARegularMachineNumbersFirstThreadsFirst) {
  Topology machine = Topology::regular(2, 4, 2);
  EXPECT_EQ(machine.cpus.size(), 16u);
  EXPECT_EQ(machine.core_count(), 8u);
  EXPECT_EQ(machine.cpus[1].number, 8u);  // the second thread of core 0
  EXPECT_EQ(machine.cpus[1].core, 0u);
  EXPECT_EQ(machine.cpus[8].socket, 1u);
  EXPECT_EQ(print_cpu_list(machine.numbers()), "0-15");
}

TEST(Topology, FindsCpusByNumber) {
  Topology machine = Topology::regular(2, 2, 2);
  std::vector<Cpu> some = machine.among({0, 3, 4, 99});
  EXPECT_EQ(some.size(), 3u);
  EXPECT_EQ(some[1].number, 4u);  // core 0's second thread stands before core 3
  EXPECT_EQ(numbers_of(some), (CpuNumbers{0, 3, 4}));
}

}  // namespace
}  // namespace ym::agent
