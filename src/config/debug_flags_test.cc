// SPDX-License-Identifier: Apache-2.0
#include "config/debug_flags.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ym {
namespace {

TEST(DebugFlags, AreFoundInAnyCase) {
  EXPECT_EQ(debug_flag_bits("steps, TRACEJOBS"), bit(DebugFlag::Steps) | bit(DebugFlag::TraceJobs));
  EXPECT_EQ(debug_flag_bits("(null)"), 0u);
  EXPECT_EQ(debug_flag_bits("Steps,Nonsense"), bit(DebugFlag::Steps));
  EXPECT_EQ(find_debug_flag("nonsense"), nullptr);
  // Known, but nothing is logged for it.
  ASSERT_NE(find_debug_flag("kafka"), nullptr);
  EXPECT_EQ(find_debug_flag("kafka")->bits, 0u);
}

TEST(DebugFlags, EachBitHasOneName) {
  std::uint64_t seen = 0;
  for (const DebugFlagName& one : debug_flag_names()) {
    EXPECT_EQ(seen & one.bits, 0u) << one.name;
    seen |= one.bits;
  }
  EXPECT_EQ(seen, (bit(DebugFlag::Triggers) << 1) - 1);
}

}  // namespace
}  // namespace ym
