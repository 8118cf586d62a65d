// SPDX-License-Identifier: Apache-2.0
#include "cli/common/relative_time.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

TEST(RelativeTime, IsTheShorterTheNearer) {
  // A Wednesday; each line as Debian's Slurm prints it.
  CivilTime now{2026, 11, 18, 1, 56, 7};
  EXPECT_EQ(print_relative({2026, 11, 18, 2, 56, 7}, now), "02:56:07");
  EXPECT_EQ(print_relative({2026, 11, 18, 0, 47, 57}, now), "00:47:57");
  EXPECT_EQ(print_relative({2026, 11, 17, 23, 59, 59}, now), "Ystday 23:59");
  EXPECT_EQ(print_relative({2026, 11, 19, 0, 30, 0}, now), "Tomorr 00:30");
  EXPECT_EQ(print_relative({2026, 11, 20, 1, 56, 7}, now), "Fri 01:56");
  EXPECT_EQ(print_relative({2026, 11, 24, 1, 56, 8}, now), "Tue 01:56");
  EXPECT_EQ(print_relative({2026, 11, 25, 1, 56, 8}, now), "25 Nov 01:56");
  EXPECT_EQ(print_relative({2026, 12, 24, 0, 0, 0}, now), "24 Dec 00:00");
  EXPECT_EQ(print_relative({2026, 11, 16, 10, 0, 0}, now), "16 Nov 10:00");
  EXPECT_EQ(print_relative({2027, 3, 5, 10, 0, 0}, now), "5 Mar 2027");
  EXPECT_EQ(print_relative({2026, 1, 1, 0, 0, 0}, {2025, 12, 31, 23, 0, 0}), "Tomorr 00:00");
}

}  // namespace
}  // namespace ym::cli
