// SPDX-License-Identifier: Apache-2.0
#include "model/partition_access.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

constexpr Uid kAda{1000}, kRoot{0};

TEST(PartitionAccess, OneGroupOfTheCallersIsEnough) {
  EXPECT_TRUE(admits_groups({}, {}));
  EXPECT_TRUE(admits_groups({.allow_groups = "all"}, {}));
  EXPECT_TRUE(admits_groups({.allow_groups = "physics,maths"}, {"staff", "Maths"}));
  EXPECT_FALSE(admits_groups({.allow_groups = "physics,maths"}, {"staff"}));
  EXPECT_FALSE(admits_groups({.allow_groups = "physics"}, {}));
}

TEST(PartitionAccess, WhoeverMayIsToldOrElseWhoeverMayNot) {
  EXPECT_TRUE(admits_account({}, ""));
  EXPECT_TRUE(admits_account({.allow_accounts = "physics"}, "Physics"));
  EXPECT_FALSE(admits_account({.allow_accounts = "physics"}, ""));
  EXPECT_FALSE(admits_account({.deny_accounts = "arts"}, "arts"));
  EXPECT_FALSE(admits_account({.allow_accounts = "ALL", .deny_accounts = "arts"}, "arts"));
  PartitionSpec both{.allow_accounts = "arts,maths", .deny_accounts = "arts,law"};
  EXPECT_TRUE(admits_account(both, "arts")) << "the list of those who may counts alone";
  EXPECT_FALSE(admits_account(both, "law"));
}

TEST(PartitionAccess, RootsJobsMayHaveAnyQos) {
  EXPECT_TRUE(admits_qos({.allow_qos = "high"}, "high", kAda));
  EXPECT_FALSE(admits_qos({.allow_qos = "high"}, "low", kAda));
  EXPECT_TRUE(admits_qos({.allow_qos = "high"}, "low", kRoot));
  EXPECT_FALSE(admits_qos({.deny_qos = "low"}, "low", kAda));
  EXPECT_TRUE(admits_qos({.deny_qos = "low"}, "low", kRoot));
  EXPECT_TRUE(admits_qos({.allow_qos = "low", .deny_qos = "low"}, "low", kAda));
}

TEST(PartitionAccess, IsShownToOperatorsAndToThoseWhoseGroupMayUseIt) {
  Caller ada{.uid = kAda, .groups = {"physics"}};
  Caller root{.uid = kRoot, .administrator = true};
  Caller operates{.uid = kAda, .level = AdminLevel::Operator};
  Caller coordinator{.uid = kAda, .coordinates = {"physics"}};
  const PartitionSpec open, hidden{.hidden = true}, hers{.allow_groups = "physics"},
      others{.allow_groups = "maths"}, both{.hidden = true, .allow_groups = "physics"};
  for (const PartitionSpec* any : {&open, &hidden, &hers, &others, &both}) {
    EXPECT_TRUE(is_shown_to(*any, root));
    EXPECT_TRUE(is_shown_to(*any, operates));
    EXPECT_EQ(is_for_some(*any), any != &open);
  }
  EXPECT_TRUE(is_shown_to(open, ada));
  EXPECT_TRUE(is_shown_to(hers, ada));
  EXPECT_FALSE(is_shown_to(others, ada));
  EXPECT_FALSE(is_shown_to(hidden, ada));
  EXPECT_FALSE(is_shown_to(both, ada)) << "hidden from those who may use it, too";
  EXPECT_FALSE(is_shown_to(hers, coordinator)) << "an account is no group";
}

TEST(PartitionAccess, TakesJobsFromItsHosts) {
  PartitionSpec partition;
  EXPECT_TRUE(admits_host(partition, "anywhere"));
  partition.alloc_nodes = "login[1-2],head";
  EXPECT_TRUE(admits_host(partition, "login2"));
  EXPECT_TRUE(admits_host(partition, "head.example.org"));
  EXPECT_FALSE(admits_host(partition, "login3"));
  EXPECT_TRUE(admits_host(partition, "")) << "who does not say where he is";
}

}  // namespace
}  // namespace ym
