// SPDX-License-Identifier: Apache-2.0
// Charts as SVG text for a page: curves, bars and boxes. Colours are classes (c0, c1 …) that the
// page's style gives a value, so that one drawing serves light, dark and paper.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/plot/axis.h"

namespace ym::cli::plot {

inline constexpr std::size_t kColours = 8;

enum class Look : std::uint8_t { Line, Steps, Area };  // Area: steps, and what is below them

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x ascending
  Look look = Look::Line;
};

struct Size {
  double width = 720, height = 260;
};

struct Chart {
  std::string title;  // for those who cannot see it
  Axis x, y;
  std::vector<Series> series;  // the n-th has colour n
  Size size{};
};
std::string draw(const Chart& chart);

// Bars side by side: for each category one of each series, and a mark above it (a quantile).
struct BarSeries {
  std::string name;
  std::vector<double> values, marks;  // one for each category; marks may be empty
};
struct Bars {
  std::string title;
  Axis y;
  std::string x_label;
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
  Size size{};
};
std::string draw(const Bars& bars);

struct Rectangle {
  double x_from = 0, x_to = 0, y_from = 0, y_to = 0;
  std::size_t colour = 0;
  std::string text;  // shown when pointed at
};
struct Boxes {
  std::string title;
  Axis x, y;
  std::vector<Rectangle> rectangles;  // parts outside of the axes are cut off
  Size size{.width = 720, .height = 320};
};
std::string draw(const Boxes& boxes);

// Names beside their colours.
std::string legend(const std::vector<std::string>& names);
// The style that all of the above needs, for a page's <style>.
std::string_view style();

// With &, <, > and quotes written so that HTML and SVG show them; other control characters go.
std::string escaped(std::string_view text);

}  // namespace ym::cli::plot
