// SPDX-License-Identifier: Apache-2.0
// How users name speeds of CPUs and GPUs: low, medium, high, highm1 (the second highest), or a
// number.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

enum class SpeedKind : std::uint8_t { None, Low, Medium, High, HighMinusOne, Number };
struct Speed {
  SpeedKind kind = SpeedKind::None;
  std::uint32_t number = 0;  // of a Number
  bool operator==(const Speed&) const = default;
};

// None: it names no speed.
Speed speed_named(std::string_view text);
// "HighM1", "2400000"; empty for None.
std::string print(const Speed& speed);

enum class SpeedRounding { Down, Nearest };
// Which of these is meant; a number is rounded, never below the lowest. 0 for None. REQUIRES:
// `speeds` ascend, and there are some.
std::uint32_t choose_speed(const Speed& wish, const std::vector<std::uint32_t>& speeds,
                           SpeedRounding rounding);

}  // namespace ym
