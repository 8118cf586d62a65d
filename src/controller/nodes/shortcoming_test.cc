// SPDX-License-Identifier: Apache-2.0
#include "controller/nodes/shortcoming.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Shortcoming, IsNamedUnlessSlurmConfIsRight) {
  NodeSpec spec{.cpus = 4, .sockets = 4, .memory_mb = 1000};
  NodeRegistration found{
      .cpus = 4, .sockets = 4, .cores_per_socket = 1, .threads_per_core = 1, .memory_mb = 1000};
  EXPECT_EQ(shortcoming(spec, found, false), "");
  found.memory_mb = 900;
  EXPECT_EQ(shortcoming(spec, found, false),
            "Low RealMemory (reported:900 < 100.00% of configured:1000)");
  EXPECT_EQ(shortcoming(spec, found, true), "");
  spec.gres = "gpu:2";
  EXPECT_NE(shortcoming(spec, found, true), "");
}

}  // namespace
}  // namespace ym
