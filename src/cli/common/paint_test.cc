// SPDX-License-Identifier: Apache-2.0
#include "cli/common/paint.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

TEST(Paint, IsForTerminalsThatWantIt) {
  EXPECT_TRUE(wants_colours(true, "", "xterm"));
  EXPECT_FALSE(wants_colours(false, "", "xterm"));
  EXPECT_FALSE(wants_colours(true, "1", "xterm"));
  EXPECT_FALSE(wants_colours(true, "", "dumb"));
  EXPECT_FALSE(wants_colours(true, "", ""));
}

TEST(Paint, LeavesNothingBehindTheText) {
  EXPECT_EQ(in_ink("FAIL", Ink::Bad), "\x1b[31mFAIL\x1b[0m");
}

}  // namespace
}  // namespace ym::cli
