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
  EXPECT_EQ(exclusive_word(JobSpec{}, Sharing::No), "NO");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveNode, true), Sharing::No), "NODE");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveUser, false), Sharing::No), "USER");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveMcs, false), Sharing::No), "MCS");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveTopo, true), Sharing::No), "TOPO");
}

TEST(SharingVariables, AJobThatSaysNothingIsAsItsPartition) {
  struct Row {
    const char* oversubscribe;
    bool nodes, user, topo;
    const char *shares, *alone;
  };
  for (const Row& row : {Row{"NO", false, false, false, "NO", "NO"},
                         {"YES:4", false, false, false, "OK", "NO"},
                         {"FORCE:2", false, false, false, "YES", "NO"},
                         {"EXCLUSIVE", true, false, false, "NO", "NODE"},
                         {"NO", false, true, false, "NO", "USER"},
                         {"EXCLUSIVE", true, false, true, "NO", "TOPO"}}) {
    PartitionSpec partition;
    partition.oversubscribe = row.oversubscribe;
    partition.exclusive = row.nodes;
    partition.exclusive_user = row.user;
    partition.exclusive_topo = row.topo;
    Sharing sharing = sharing_of(partition);
    EXPECT_EQ(oversubscribe_word(JobSpec{}, sharing), row.shares) << row.oversubscribe;
    EXPECT_EQ(exclusive_word(JobSpec{}, sharing), row.alone) << row.oversubscribe;
  }
}

TEST(SharingVariables, WhatAJobSaysCountsMoreThanItsPartition) {
  EXPECT_EQ(oversubscribe_word(exclusive(kExclusiveUser, false), Sharing::Forced), "NO");
  EXPECT_EQ(exclusive_word(exclusive(kExclusiveTopo, true), Sharing::WholeNodes), "TOPO");
  JobSpec spec;
  spec.oversubscribe = true;
  EXPECT_EQ(oversubscribe_word(spec, Sharing::IfAsked), "YES");
  EXPECT_EQ(oversubscribe_word(spec, Sharing::No), "YES");
}

TEST(SharingVariables, AreInTheEnvironmentOfEachJob) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(sharing_variables(JobSpec{}, Sharing::IfAsked),
            (Pairs{{"SLURM_JOB_OVERSUBSCRIBE", "OK"}, {"SLURM_JOB_EXCLUSIVE", "NO"}}));
  JobSpec spec = exclusive(kExclusiveTopo, true);
  JobExtras extras = *spec.extras;
  extras.specials = Ref(JobSpecials{.segment = 4, .exclusive_kind = kExclusiveTopo});
  spec.extras = Ref(extras);
  EXPECT_EQ(sharing_variables(spec, Sharing::No), (Pairs{{"SLURM_JOB_OVERSUBSCRIBE", "NO"},
                                                         {"SLURM_JOB_EXCLUSIVE", "TOPO"},
                                                         {"SLURM_JOB_SEGMENT_SIZE", "4"}}));
}

}  // namespace
}  // namespace ym
