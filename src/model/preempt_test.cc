// SPDX-License-Identifier: Apache-2.0
#include "model/preempt.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(PreemptMode, IsReadInAnyOrderAndPrintedInSlurms) {
  EXPECT_EQ(preempt_mode_text("OFF"), "OFF");
  EXPECT_EQ(preempt_mode_text("suspend,gang"), "GANG,SUSPEND");
  EXPECT_EQ(preempt_mode_text("GANG"), "GANG");
  EXPECT_EQ(preempt_mode_text("within,requeue"), "WITHIN,REQUEUE");
  EXPECT_EQ(preempt_mode_text(""), "OFF");
}

TEST(PreemptMode, GangAloneMakesNobodyGo) {
  PreemptWish wish = parse_preempt_mode("GANG");
  EXPECT_EQ(wish.mode, PreemptMode::Off);
  EXPECT_TRUE(wish.gang);
}

}  // namespace
}  // namespace ym
