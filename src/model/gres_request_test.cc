// SPDX-License-Identifier: Apache-2.0
#include "model/gres_request.h"

#include <gtest/gtest.h>

#include "model/errc.h"

namespace ym {
namespace {

TEST(GresRequest, IsUnderstoodFromTheOptions) {
  auto request = understand({.per_job = "gpu:4",
                             .per_node = "tool:2",
                             .per_task = "gpu:a100:1",
                             .cpus_per = "gpu:3",
                             .memory_per = "gpu:1024",
                             .flags = "enforce-binding"});
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(
      request->wishes,
      (std::vector<GresWish>{{.name = "tool", .count = 2, .per = GresPer::Node},
                             {.name = "gpu", .count = 4, .per = GresPer::Job},
                             {.name = "gpu", .type = "a100", .count = 1, .per = GresPer::Task}}));
  EXPECT_EQ(request->cpus_per_gpu, 3u);
  EXPECT_EQ(request->memory_per_gpu_mb, 1024u);
  EXPECT_TRUE(request->enforce_binding);
}

TEST(GresRequest, WhatIsAskedForInTwoWaysIsNotWantedTwice) {
  auto request = understand({.per_node = "gpu:2,gpu:3"});
  ASSERT_TRUE(request);
  ASSERT_EQ(request->wishes.size(), 1u);
  EXPECT_EQ(request->wishes[0].count, 3u);
}

TEST(GresRequest, NoneAndNothingAskForNothing) {
  EXPECT_TRUE(understand({.per_node = "none"})->wishes.empty());
  EXPECT_TRUE(understand({.per_node = "gpu:0"})->wishes.empty());
}

TEST(GresRequest, RefusesNonsense) {
  for (const char* wrong : {"gpu:", "gpu:1,gpu:a:1", "a b"}) {
    auto request = understand({.per_node = wrong});
    ASSERT_FALSE(request) << wrong;
    EXPECT_TRUE(is(request.error(), Errc::InvalidGres));
  }
  EXPECT_FALSE(understand({.per_job = "gpu:1", .cpus_per = "tool:1"}));
}

TEST(GresRequest, ANodeGivesTheMostOfWhatIsAskedOfIt) {
  auto request = understand({.per_node = "gpu:2", .per_task = "gpu:1"});
  EXPECT_EQ(wanted_on_node(*request, "gpu", "", 1, 0), 2u);
  EXPECT_EQ(wanted_on_node(*request, "gpu", "", 5, 0), 5u);
  EXPECT_EQ(wanted_on_node(*request, "tool", "", 5, 0), 0u);
}

TEST(GresRequest, ProcessesSeeWhatWasAskedFor) {
  JobSpecials specials{.tres_per_job = "gpu:a100:2,gpu:v100:1",
                       .tres_per_task = "gpu:1",
                       .tres_bind = "gpu:map_gpu:0,1"};
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(gres_variables(specials), (Variables{{"SLURM_GPUS", "a100:2,v100:1"},
                                                 {"SLURM_GPUS_PER_TASK", "1"},
                                                 {"SLURM_GPU_BIND", "map_gpu:0,1"},
                                                 {"SLURM_TRES_PER_TASK", "gres/gpu:1"}}));
}

}  // namespace
}  // namespace ym
