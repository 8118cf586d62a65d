// SPDX-License-Identifier: Apache-2.0
#include "notation/cpu_freq.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kGovernors[] = {"Conservative", "OnDemand",  "Performance",
                                           "PowerSave",    "SchedUtil", "UserSpace"};

}  // namespace

std::string_view governor_named(std::string_view text) {
  for (std::string_view name : kGovernors)
    if (same_ignoring_case(text, name)) return name;
  return {};
}

Result<CpuFreq> CpuFreq::parse(std::string_view text) {
  CpuFreq out;
  auto wrong = [&] { return fail(fmt::format("'{}' is no CPU frequency", printable(text, 64))); };
  out.governor = governor_named(text);
  if (!out.governor.empty()) return out;
  auto colon = text.find(':');
  if (colon != std::string_view::npos) {
    out.governor = governor_named(text.substr(colon + 1));
    if (out.governor.empty()) return wrong();
  }
  std::string_view range = text.substr(0, colon);
  auto dash = range.find('-');
  out.least = speed_named(range.substr(0, dash));
  if (out.least.kind == SpeedKind::None) return wrong();
  if (dash == std::string_view::npos) return out;
  out.most = speed_named(range.substr(dash + 1));
  bool ordered = out.least.kind != SpeedKind::Number || out.most.kind != SpeedKind::Number ||
                 out.least.number <= out.most.number;
  if (out.most.kind == SpeedKind::None || !ordered) return wrong();
  return out;
}

std::string CpuFreq::str() const {
  std::string out = print(least);
  if (most.kind != SpeedKind::None) out += "-" + print(most);
  if (!out.empty() && !governor.empty()) out += ":";
  return out + governor;
}

}  // namespace ym
