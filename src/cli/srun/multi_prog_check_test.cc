// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/multi_prog_check.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

std::string said(std::string_view text, std::uint32_t tasks) {
  Status checked = check_multi_prog(text, "f", tasks);
  return checked ? "fine" : checked.error().text;
}

TEST(MultiProgCheck, EveryTaskNeedsAProgram) {
  EXPECT_EQ(said("0 echo a\n1-2,4 echo %t\n3 true\n", 5), "fine");
  EXPECT_EQ(said("# comment\n\n0 a \\\n  b c\n* echo", 9), "fine");
  EXPECT_EQ(said("0 echo\n", 2), "Configuration file f invalid, no record for task id 1");
  EXPECT_EQ(said("", 1), "Configuration file f invalid, no record for task id 0");
  EXPECT_EQ(said("0 echo\n", 0), "fine");
}

TEST(MultiProgCheck, BadLinesAreNamed) {
  EXPECT_EQ(said("x echo\n", 2),
            "Invalid task range specification (x)\nLine 1 of configuration file f invalid");
  EXPECT_EQ(said("3-1 echo\n", 4),
            "Invalid task range specification (3-1)\nLine 1 of configuration file f invalid");
  EXPECT_EQ(said("#\n0-1\n", 2), "Line 2 of configuration file f invalid");
  EXPECT_EQ(said("0-1 echo\n1 true\n", 2),
            "Duplicate record for task 1\nLine 2 of configuration file f invalid");
  EXPECT_EQ(said("0-5 echo\n", 2),
            "Invalid task id, 5 >= ntasks\nLine 1 of configuration file f invalid");
}

}  // namespace
}  // namespace ym::cli
