// SPDX-License-Identifier: Apache-2.0
#include "model/reason.h"

#include <gtest/gtest.h>

#include <set>

namespace ym {
namespace {

TEST(Reason, EveryOneHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (unsigned i = 0; i < static_cast<unsigned>(Reason::kCount); ++i)
    EXPECT_TRUE(names.insert(name_of(static_cast<Reason>(i))).second) << i;
  EXPECT_FALSE(names.contains(""));
}

// They are in logs: a name that moves would tell old jobs' stories wrongly.
TEST(Reason, NamesStandWhereTheyStood) {
  EXPECT_EQ(name_of(static_cast<Reason>(0)), "None");
  EXPECT_EQ(name_of(static_cast<Reason>(5)), "JobHeldUser");
  EXPECT_EQ(name_of(Reason::LaunchFailedRequeuedHeld), "launch failed requeued held");
  EXPECT_EQ(name_of(static_cast<Reason>(26)), "launch failed requeued held");
  EXPECT_EQ(name_of(Reason::PartitionConfig), "PartitionConfig");
  EXPECT_EQ(name_of(Reason::RequeuedHeld), "job requeued in held state");
  EXPECT_EQ(name_of(Reason::QosMinNode), "QOSMinNode");
  EXPECT_EQ(name_of(static_cast<Reason>(255)), "None");
}

}  // namespace
}  // namespace ym
