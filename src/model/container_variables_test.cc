// SPDX-License-Identifier: Apache-2.0
#include "model/container_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(ContainerVariables, OnlyWhatWasWishedForIsSet) {
  EXPECT_THAT(container_variables({}, {}), IsEmpty());
  EXPECT_THAT(container_variables({.container = "/b"}, {.container_id = "seven"}),
              ElementsAre(Pair("SLURM_CONTAINER", "/b"), Pair("SLURM_CONTAINER_ID", "seven")));
}

}  // namespace
}  // namespace ym
