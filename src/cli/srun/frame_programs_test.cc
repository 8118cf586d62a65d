// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/frame_programs.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

TEST(FramePrograms, AnOptionOverridesTheConfigurationAndNoneIsNoProgram) {
  EXPECT_EQ(frame_program("", "/etc/p"), "/etc/p");
  EXPECT_EQ(frame_program("./mine", "/etc/p"), "./mine");
  EXPECT_EQ(frame_program("none", "/etc/p"), "");
  EXPECT_EQ(frame_program("NONE", "/etc/p"), "");
  EXPECT_EQ(frame_program("", ""), "");
}

}  // namespace
}  // namespace ym::cli
