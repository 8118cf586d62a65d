// SPDX-License-Identifier: Apache-2.0
#include "notation/speed.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::pair<std::string_view, SpeedKind> kNames[] = {{"Low", SpeedKind::Low},
                                                             {"Medium", SpeedKind::Medium},
                                                             {"High", SpeedKind::High},
                                                             {"HighM1", SpeedKind::HighMinusOne}};

}  // namespace

Speed speed_named(std::string_view text) {
  for (const auto& [name, kind] : kNames)
    if (same_ignoring_case(text, name)) return {.kind = kind};
  auto number = parse_unsigned<std::uint32_t>(text);
  if (!number || *number == 0) return {};
  return {.kind = SpeedKind::Number, .number = *number};
}

std::string print(const Speed& speed) {
  if (speed.kind == SpeedKind::Number) return fmt::format("{}", speed.number);
  for (const auto& [name, kind] : kNames)
    if (kind == speed.kind) return std::string(name);
  return {};
}

std::uint32_t choose_speed(const Speed& wish, const std::vector<std::uint32_t>& speeds,
                           SpeedRounding rounding) {
  switch (wish.kind) {
    case SpeedKind::None: break;
    case SpeedKind::Low: return speeds.front();
    case SpeedKind::Medium: return speeds[(speeds.size() - 1) / 2];
    case SpeedKind::High: return speeds.back();
    case SpeedKind::HighMinusOne: return speeds[speeds.size() > 1 ? speeds.size() - 2 : 0];
    case SpeedKind::Number: {
      auto above = std::ranges::upper_bound(speeds, wish.number);
      if (above == speeds.begin()) return speeds.front();
      std::uint32_t below = *(above - 1);
      if (rounding == SpeedRounding::Down || above == speeds.end()) return below;
      return *above - wish.number < wish.number - below ? *above : below;
    }
  }
  return 0;
}

}  // namespace ym
