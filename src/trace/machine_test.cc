// SPDX-License-Identifier: Apache-2.0
#include "trace/machine.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

TEST(Machine, IsANumberOfProcessorsOrOfNodes) {
  EXPECT_EQ(counted_machine(338).procs(), 338u);
  EXPECT_TRUE(counted_machine(338).counted);
  auto machine = uniform_machine("16x64x8");
  ASSERT_TRUE(machine);
  EXPECT_FALSE(machine->counted);
  EXPECT_EQ(machine->procs(), 1024u);
  EXPECT_EQ(machine->config.nodes.back().gres, "gpu:8");
  EXPECT_EQ(registration_of(machine->config.nodes[0]).gres.at(0).count, 8u);
}

TEST(Machine, RefusesWhatIsNone) {
  for (std::string_view text : {"", "4", "0x4", "4x4x4x4", "ax4", "4x", "1000000x4", "4x4x5000"})
    EXPECT_FALSE(uniform_machine(text)) << text;
}

TEST(Machine, ASiteLosesWhatAReplayDoesNotHave) {
  ClusterConfig config;
  config.cluster_name = "site";
  config.prolog = "/etc/prolog";
  config.prolog_flags.alloc = true;
  config.nodes = {NodeSpec{.name = "n1", .cpus = 4, .state = "DOWN"}};
  Machine machine = site_machine(config);
  EXPECT_TRUE(machine.config.prolog.empty());
  EXPECT_FALSE(machine.config.prolog_flags.alloc);
  EXPECT_TRUE(machine.config.nodes[0].state.empty());
  EXPECT_EQ(machine.config.min_job_age, Duration(0));
}

}  // namespace
}  // namespace ym::trace
