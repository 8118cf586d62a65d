// SPDX-License-Identifier: Apache-2.0
#include "cli/plot/chart.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"

namespace ym::cli::plot {
namespace {

constexpr double kLeft = 64, kRight = 14, kTop = 12, kBottom = 44;
constexpr double kTickGapX = 110, kTickGapY = 42;  // one tick for so much room

// A frame with axes; what is drawn into it speaks of values, not of places.
class Canvas {
 public:
  Canvas(const Size& size, std::string_view title) : size_(size) {
    add("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", size.width,
        size.height, escaped(title));
  }

  template <class... T>
  void add(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<T>(values)...);
  }
  double left() const { return kLeft; }
  double right() const { return size_.width - kRight; }
  double bottom() const { return size_.height - kBottom; }
  double at_x(const Axis& axis, double value) const {
    return kLeft + axis.position(value) * (right() - kLeft);
  }
  double at_y(const Axis& axis, double value) const {
    return bottom() - axis.position(value) * (bottom() - kTop);
  }
  std::size_t ticks_x() const { return static_cast<std::size_t>((right() - kLeft) / kTickGapX); }
  std::size_t ticks_y() const { return static_cast<std::size_t>((bottom() - kTop) / kTickGapY); }

  void grid_y(const Axis& axis) {
    for (const Tick& tick : ticks_of(axis, ticks_y())) {
      double y = at_y(axis, tick.value);
      add("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft,
          right(), y, y);
      add("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 8,
          y + 4, escaped(tick.text));
    }
    double middle = (kTop + bottom()) / 2;
    add("<text class=\"label\" transform=\"translate(13 {:.1f}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>",
        middle, escaped(axis.label));
  }

  void grid_x(const Axis& axis) {
    double last = -1e9;
    for (const Tick& tick : ticks_of(axis, ticks_x())) {
      double x = at_x(axis, tick.value);
      add("<line class=\"mark\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", x, x,
          bottom(), bottom() + 5);
      if (x - last < 38) continue;  // too near to the one before
      last = x;
      add("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x,
          bottom() + 18, escaped(tick.text));
    }
    label_x(axis.label);
  }

  void label_x(std::string_view text) {
    add("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
        (kLeft + right()) / 2, size_.height - 6, escaped(text));
  }

  std::string finish() {
    add("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/></svg>\n",
        kLeft, right(), bottom(), bottom());
    return std::move(out_);
  }

 private:
  Size size_;
  std::string out_;
};

// The points of a curve as an SVG path.
std::string path_of(const Canvas& canvas, const Chart& chart, const Series& series) {
  std::string path;
  auto to = std::back_inserter(path);
  double before = 0;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    double x = canvas.at_x(chart.x, series.points[i].first);
    double y = canvas.at_y(chart.y, series.points[i].second);
    if (i == 0)
      fmt::format_to(to, "M{:.1f} {:.1f}", x, y);
    else if (series.look == Look::Line)
      fmt::format_to(to, "L{:.1f} {:.1f}", x, y);
    else if (y == before)
      fmt::format_to(to, "H{:.1f}", x);
    else
      fmt::format_to(to, "H{:.1f}V{:.1f}", x, y);
    before = y;
  }
  return path;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string draw(const Chart& chart) {
  Canvas canvas(chart.size, chart.title);
  canvas.grid_y(chart.y);
  canvas.grid_x(chart.x);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (series.points.empty()) continue;
    std::string path = path_of(canvas, chart, series);
    std::size_t colour = i % kColours;
    if (series.look == Look::Area)
      canvas.add("<path class=\"area c{}\" d=\"{}V{:.1f}H{:.1f}Z\"/>", colour, path,
                 canvas.bottom(), canvas.at_x(chart.x, series.points.front().first));
    canvas.add("<path class=\"curve c{}\" d=\"{}\"><title>{}</title></path>", colour, path,
               escaped(series.name));
  }
  return canvas.finish();
}

std::string draw(const Bars& bars) {
  Canvas canvas(bars.size, bars.title);
  canvas.grid_y(bars.y);
  canvas.label_x(bars.x_label);
  double room = (canvas.right() - canvas.left()) /
                static_cast<double>(std::max<std::size_t>(bars.categories.size(), 1));
  double count = static_cast<double>(std::max<std::size_t>(bars.series.size(), 1));
  double width = std::min(46.0, room * 0.76 / count);
  for (std::size_t i = 0; i < bars.categories.size(); ++i) {
    double middle = canvas.left() + room * (static_cast<double>(i) + 0.5);
    canvas.add("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
               middle, canvas.bottom() + 18, escaped(bars.categories[i]));
    for (std::size_t k = 0; k < bars.series.size(); ++k) {
      const BarSeries& series = bars.series[k];
      double x = middle + width * (static_cast<double>(k) - count / 2);
      double y = canvas.at_y(bars.y, series.values[i]);
      canvas.add(
          "<rect class=\"bar c{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"><title>{}</title></rect>",
          k % kColours, x + 1, y, std::max(1.0, width - 2), std::max(0.0, canvas.bottom() - y),
          escaped(fmt::format("{}: {}", series.name, span_text(series.values[i]))));
      if (series.marks.empty()) continue;
      double mark = canvas.at_y(bars.y, series.marks[i]);
      canvas.add("<path class=\"whisker c{}\" d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}h{:.1f}\"/>",
                 k % kColours, x + width / 2, y, mark, x + width * 0.25, mark, width * 0.5);
    }
  }
  return canvas.finish();
}

std::string draw(const Boxes& boxes) {
  Canvas canvas(boxes.size, boxes.title);
  canvas.grid_y(boxes.y);
  canvas.grid_x(boxes.x);
  for (const Rectangle& one : boxes.rectangles) {
    double x1 = canvas.at_x(boxes.x, one.x_from), x2 = canvas.at_x(boxes.x, one.x_to);
    double y1 = canvas.at_y(boxes.y, one.y_to), y2 = canvas.at_y(boxes.y, one.y_from);
    if (x2 - x1 < 0.15 || y2 - y1 < 0.05) continue;  // nobody could see it
    canvas.add(
        "<rect class=\"box c{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{:.2f}\">",
        one.colour % kColours, x1, y1, x2 - x1, y2 - y1);
    canvas.add("<title>{}</title></rect>", escaped(one.text));
  }
  return canvas.finish();
}

std::string legend(const std::vector<std::string>& names) {
  std::string out = "<p class=\"legend\">";
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("<span><i class=\"c{}\"></i>{}</span>", i % kColours, escaped(names[i]));
  return out + "</p>\n";
}

std::string_view style() {
  return R"(:root{color-scheme:light dark;--paper:#fcfcfb;--card:#fff;--ink:#1c1d20;--soft:#5d6169;
--line:#e4e4e0;--c0:#2a6fc9;--c1:#d9622b;--c2:#1e8f6e;--c3:#9a4fb5;--c4:#b28a00;--c5:#c43d60;
--c6:#4b8fa8;--c7:#6f6a5f}
@media (prefers-color-scheme:dark){:root{--paper:#17181a;--card:#1f2023;--ink:#ececea;
--soft:#a2a6ad;
--line:#35373b;--c0:#6aa6f0;--c1:#ef8f5c;--c2:#4cc09b;--c3:#c68ae0;--c4:#dcb74a;--c5:#ee7f9b;
--c6:#7fc0d6;--c7:#b5afa2}}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}
.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}
svg{display:block;width:100%;height:auto;font:12px system-ui,sans-serif}
.grid{stroke:var(--line)}.axis,.mark{stroke:var(--soft)}
.tick{fill:var(--soft)}.label{fill:var(--ink)}
.curve{fill:none;stroke:var(--c);stroke-width:1.6;stroke-linejoin:round}
.area{fill:var(--c);opacity:.14;stroke:none}.bar{fill:var(--c)}
.whisker{fill:none;stroke:var(--c);stroke-width:1.4}
.box{fill:var(--c);fill-opacity:.8;stroke:var(--card);stroke-width:.4}.box:hover{fill-opacity:1}
.legend{margin:.2em 0 .6em;color:var(--soft);font-size:13px}.legend span{margin-right:1.4em}
.legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.45em;
background:var(--c);vertical-align:-.05em}
)";
}

}  // namespace ym::cli::plot
