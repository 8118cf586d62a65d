// SPDX-License-Identifier: Apache-2.0
#include "cli/plot/axis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"

namespace ym::cli::plot {
namespace {

constexpr std::array<double, 12> kSpans = {1,    5,     15,    60,     300,        900,
                                           3600, 21600, 86400, 604800, 30 * 86400, 365 * 86400};

bool is_log(const Axis& axis) { return axis.scale == Scale::LogSeconds; }
double log_of(double value) { return std::log10(std::max(value, 1.0)); }

// 1, 2, 2.5 or 5 times a power of ten, for at most `count` steps.
double nice_step(double length, std::size_t count) {
  double raw = length / static_cast<double>(std::max<std::size_t>(count, 1));
  double power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 2.5, 5.0})
    if (raw <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

// Steps of time are those of a clock or a calendar.
double nice_span(double length, std::size_t count) {
  constexpr std::array<double, 27> kSteps = {
      1,          2,          5,          10,         15,          30,         60,
      120,        300,        600,        900,        1800,        3600,       2 * 3600,
      3 * 3600,   6 * 3600,   43200,      86400,      2 * 86400,   5 * 86400,  7 * 86400,
      14 * 86400, 30 * 86400, 60 * 86400, 90 * 86400, 182 * 86400, 365 * 86400};
  double raw = length / static_cast<double>(std::max<std::size_t>(count, 1));
  for (double step : kSteps)
    if (raw <= step) return step;
  return nice_step(length / (365 * 86400.0), count) * (365 * 86400.0);
}

double step_of(const Axis& axis, std::size_t count) {
  double length = std::max(axis.high - axis.low, 1e-9);
  return axis.scale == Scale::Seconds ? nice_span(length, count) : nice_step(length, count);
}

std::string text_of(const Axis& axis, double value) {
  if (axis.scale == Scale::Percent) return fmt::format("{:.4g} %", 100 * value);
  return axis.scale == Scale::Number ? number_text(value) : span_text(value);
}

}  // namespace

double Axis::position(double value) const {
  double from = is_log(*this) ? log_of(low) : low, to = is_log(*this) ? log_of(high) : high;
  double at = is_log(*this) ? log_of(value) : value;
  return to > from ? std::clamp((at - from) / (to - from), 0.0, 1.0) : 0;
}

std::vector<Tick> ticks_of(const Axis& axis, std::size_t count) {
  std::vector<Tick> ticks;
  if (is_log(axis)) {
    for (double value : kSpans)
      if (value >= axis.low && value <= axis.high) ticks.push_back({value, span_text(value)});
    if (ticks.empty()) ticks.push_back({axis.low, span_text(axis.low)});
    return ticks;
  }
  double step = step_of(axis, count);
  double first = std::ceil(axis.low / step - 1e-9) * step + 0.0;  // never -0
  for (double value = first; value <= axis.high + step * 1e-6 && ticks.size() < 100;
       value = first + step * static_cast<double>(ticks.size()))
    ticks.push_back({value, text_of(axis, value)});
  if (ticks.empty()) ticks.push_back({axis.low, text_of(axis, axis.low)});
  return ticks;
}

Axis rounded_up(Axis axis, std::size_t count) {
  if (is_log(axis)) return axis;
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  double step = step_of(axis, count);
  axis.high = std::ceil(axis.high / step - 1e-9) * step;
  return axis;
}

std::string number_text(double value) {
  if (std::abs(value) < 1000) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value)), out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return value < 0 ? "-" + out : out;
}

std::string span_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  if (seconds < 3600) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 86400) return fmt::format("{:.3g} h", seconds / 3600);
  double days = seconds / 86400;
  return days < 1000 ? fmt::format("{:.3g} d", days) : number_text(days) + " d";
}

}  // namespace ym::cli::plot
