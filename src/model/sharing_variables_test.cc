// SPDX-License-Identifier: Apache-2.0
#include "model/sharing_variables.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

JobSpec exclusive(std::uint8_t kind, bool nodes) {
  JobExtras extras;
  extras.specials = Ref(JobSpecials{.exclusive_kind = kind});
  JobSpec spec;
  spec.extras = Ref(extras);
  spec.exclusive = nodes;
  return spec;
}

TEST(SharingVariables, SayWithWhomNodesAreNotShared) {
  EXPECT_EQ(exclusive_word(JobSpec{}), "NO");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveNode, true)), "NODE");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveUser, false)), "USER");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveMcs, false)), "MCS");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveTopo, true)), "TOPO");
}

TEST(SharingVariables, AJobIsWillingUnlessItSaysOtherwise) {
  EXPECT_EQ(oversubscribe_word(JobSpec{}), "OK");
  EXPECT_EQ(oversubscribe_word(exclusive(kExclusiveUser, false)), "NO");
  JobSpec spec;
  spec.oversubscribe = true;
  EXPECT_EQ(oversubscribe_word(spec), "YES");
}

TEST(SharingVariables, AreInTheEnvironmentOfEachJob) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(sharing_variables(JobSpec{}),
            (Pairs{{"SLURM_JOB_OVERSUBSCRIBE", "OK"}, {"SLURM_JOB_EXCLUSIVE", "NO"}}));
  JobSpec spec = exclusive(kExclusiveTopo, true);
  JobExtras extras = *spec.extras;
  extras.specials = Ref(JobSpecials{.segment = 4, .exclusive_kind = kExclusiveTopo});
  spec.extras = Ref(extras);
  EXPECT_EQ(sharing_variables(spec), (Pairs{{"SLURM_JOB_OVERSUBSCRIBE", "NO"},
                                            {"SLURM_JOB_EXCLUSIVE", "TOPO"},
                                            {"SLURM_JOB_SEGMENT_SIZE", "4"}}));
}

}  // namespace
}  // namespace ym
