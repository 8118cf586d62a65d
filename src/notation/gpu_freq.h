// SPDX-License-Identifier: Apache-2.0
// How fast GPUs shall be: --gpu-freq=[SPEED][,memory=SPEED][,verbose], numbers in MHz.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "notation/speed.h"

namespace ym {

struct GpuFreq {
  Speed graphics, memory;  // None: no wish
  bool verbose = false;    // say what was set

  static Result<GpuFreq> parse(std::string_view text);
  // As parse() takes it.
  std::string str() const;
  bool operator==(const GpuFreq&) const = default;
};

// The part of JobSpecials::tres_freq ("gpu:high") that is meant for GPUs; empty: none.
std::string_view gpu_freq_in(std::string_view tres_freq);

}  // namespace ym
