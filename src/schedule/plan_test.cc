// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Verdicts, ThoseOfAQuickPassReplaceWhatTheySpeakOfAndNothingElse) {
  Verdicts all, newer;
  all.shapes[1] = {.reason = Reason::Resources, .head = {7}};
  all.shapes[2] = {.reason = Reason::Licenses, .head = {8}};
  all.promised[{7}] = Instant{1000};
  newer.shapes[1] = {.reason = Reason::PartitionDown, .head = {9}};
  newer.jobs[{9}] = Reason::JobArrayTaskLimit;
  newer.at = Instant{5};
  all.merge(newer);
  EXPECT_EQ(all.shapes[1].reason, Reason::PartitionDown);
  EXPECT_EQ(all.shapes[2].reason, Reason::Licenses);
  EXPECT_EQ(all.jobs[{9}], Reason::JobArrayTaskLimit);
  EXPECT_EQ(all.promised[{7}], Instant{1000});
  EXPECT_EQ(all.at, Instant{5});
}

}  // namespace
}  // namespace ym
