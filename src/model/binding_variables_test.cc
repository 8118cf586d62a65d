// SPDX-License-Identifier: Apache-2.0
#include "model/binding_variables.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

TEST(BindingVariables, SayWhatWasWishedFor) {
  EXPECT_TRUE(binding_variables({}).empty());
  EXPECT_EQ(binding_variables(
                {.distribution = "plane=4:block", .threads_per_core = 1, .tasks_per_socket = 2}),
            (Variables{{"SLURM_DISTRIBUTION", "plane=4:block"},
                       {"SLURM_DIST_PLANESIZE", "4"},
                       {"SLURM_THREADS_PER_CORE", "1"},
                       {"SLURM_NTASKS_PER_SOCKET", "2"}}));
}

TEST(BindingVariables, AHintSaysItsThreadsItself) {
  EXPECT_EQ(binding_variables({.hint = "nomultithread", .threads_per_core = 1}),
            (Variables{{"SLURM_HINT", "nomultithread"}}));
}

}  // namespace
}  // namespace ym
