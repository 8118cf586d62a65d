// SPDX-License-Identifier: Apache-2.0
#include "cli/plot/axis.h"

#include <gtest/gtest.h>

namespace ym::cli::plot {
namespace {

std::string texts(const Axis& axis, std::size_t count) {
  std::string out;
  for (const Tick& tick : ticks_of(axis, count)) out += (out.empty() ? "" : " | ") + tick.text;
  return out;
}

TEST(Axis, TicksAreRoundNumbersWithinTheAxis) {
  EXPECT_EQ(texts({.low = 0, .high = 100}, 5), "0 | 20 | 40 | 60 | 80 | 100");
  EXPECT_EQ(texts({.low = 0, .high = 2467}, 4), "0 | 1,000 | 2,000");
  EXPECT_EQ(texts({.low = 3, .high = 9}, 3), "4 | 6 | 8");
  EXPECT_EQ(texts({.scale = Scale::Percent, .low = 0, .high = 1}, 4),
            "0 % | 25 % | 50 % | 75 % | 100 %");
  EXPECT_EQ(texts({.low = 0, .high = 0}, 4), "0");
}

TEST(Axis, TimeHasTheStepsOfAClockAndOfACalendar) {
  EXPECT_EQ(texts({.scale = Scale::Seconds, .low = 0, .high = 7200}, 4),
            "0 s | 30 min | 1 h | 1.5 h | 2 h");
  EXPECT_EQ(texts({.scale = Scale::Seconds, .low = 0, .high = 13 * 86400}, 5), "0 s | 5 d | 10 d");
  EXPECT_EQ(texts({.scale = Scale::Seconds, .low = 86400 * 10, .high = 86400 * 14}, 4),
            "10 d | 11 d | 12 d | 13 d | 14 d");
}

TEST(Axis, ByPowersTheFirstSecondIsTheLeftEnd) {
  Axis axis{.scale = Scale::LogSeconds, .low = 1, .high = 10'000};
  EXPECT_DOUBLE_EQ(axis.position(0), 0);
  EXPECT_DOUBLE_EQ(axis.position(1), 0);
  EXPECT_DOUBLE_EQ(axis.position(100), 0.5);
  EXPECT_DOUBLE_EQ(axis.position(1e9), 1);
  EXPECT_EQ(texts(axis, 4), "1 s | 5 s | 15 s | 1 min | 5 min | 15 min | 1 h");
}

TEST(Axis, IsExtendedToARoundEnd) {
  EXPECT_DOUBLE_EQ(rounded_up({.low = 0, .high = 87}, 5).high, 100);
  EXPECT_DOUBLE_EQ(rounded_up({.low = 0, .high = 100}, 5).high, 100);
  EXPECT_DOUBLE_EQ(rounded_up({.scale = Scale::Seconds, .low = 0, .high = 5000}, 5).high, 5400);
}

TEST(Axis, TimesAndNumbersAreShort) {
  EXPECT_EQ(span_text(45), "45 s");
  EXPECT_EQ(span_text(5400), "1.5 h");
  EXPECT_EQ(span_text(86400 * 333.0), "333 d");
  EXPECT_EQ(number_text(28467), "28,467");
  EXPECT_EQ(number_text(0.25), "0.25");
}

}  // namespace
}  // namespace ym::cli::plot
