// SPDX-License-Identifier: Apache-2.0
#include "notation/gpu_freq.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {

Result<GpuFreq> GpuFreq::parse(std::string_view text) {
  constexpr std::string_view kMemory = "memory=";
  GpuFreq out;
  for (std::string_view part : split(text, ',')) {
    if (same_ignoring_case(part, "verbose")) {
      out.verbose = true;
      continue;
    }
    bool memory = same_ignoring_case(part.substr(0, kMemory.size()), kMemory);
    Speed& wish = memory ? out.memory : out.graphics;
    Speed speed = speed_named(memory ? part.substr(kMemory.size()) : part);
    bool second = wish.kind != SpeedKind::None;
    if (speed.kind == SpeedKind::None || second)
      return fail(fmt::format("'{}' is no GPU frequency", printable(text, 64)));
    wish = speed;
  }
  return out;
}

std::string GpuFreq::str() const {
  std::string out = to_lower(print(graphics));
  auto add = [&](const std::string& part) { out += (out.empty() ? "" : ",") + part; };
  if (memory.kind != SpeedKind::None) add("memory=" + to_lower(print(memory)));
  if (verbose) add("verbose");
  return out;
}

std::string_view gpu_freq_in(std::string_view tres_freq) {
  constexpr std::string_view kGpu = "gpu:";
  return tres_freq.starts_with(kGpu) ? tres_freq.substr(kGpu.size()) : std::string_view();
}

}  // namespace ym
