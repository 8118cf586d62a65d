// SPDX-License-Identifier: Apache-2.0
#include "notation/speed.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Speed, ANumberIsRoundedToWhatThereIs) {
  std::vector<std::uint32_t> speeds = {300, 500, 900};
  auto number = [&](std::uint32_t n, SpeedRounding rounding) {
    return choose_speed({SpeedKind::Number, n}, speeds, rounding);
  };
  EXPECT_EQ(number(100, SpeedRounding::Down), 300u);
  EXPECT_EQ(number(800, SpeedRounding::Down), 500u);
  EXPECT_EQ(number(800, SpeedRounding::Nearest), 900u);
  EXPECT_EQ(number(600, SpeedRounding::Nearest), 500u);
  EXPECT_EQ(number(5000, SpeedRounding::Nearest), 900u);
  EXPECT_EQ(choose_speed({SpeedKind::HighMinusOne, 0}, {700}, SpeedRounding::Down), 700u);
}

}  // namespace
}  // namespace ym
