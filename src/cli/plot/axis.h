// SPDX-License-Identifier: Apache-2.0
// Axes: which values get a tick, and what stands beside it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ym::cli::plot {

enum class Scale : std::uint8_t {
  Number,      // 0, 50, 100 … with thousands set apart
  Percent,     // of values 0 … 1
  Seconds,     // spans of time: 6 h, 2 d
  LogSeconds,  // the same by powers; the smallest value that shows is a second
};

struct Axis {
  std::string label;
  Scale scale = Scale::Number;
  double low = 0, high = 1;

  // Where a value stands between 0 (low) and 1 (high); values beyond are held at the ends.
  double position(double value) const;
};

struct Tick {
  double value = 0;
  std::string text;
};

// About `count` ticks at round values within the axis, ascending; at least one.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t count);

// The axis with its upper end moved up to a round value.
Axis rounded_up(Axis axis, std::size_t count);

// "28,467"; "0.25"
std::string number_text(double value);
// "45 s", "6 h", "2.5 d"
std::string span_text(double seconds);

}  // namespace ym::cli::plot
