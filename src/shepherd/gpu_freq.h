// SPDX-License-Identifier: Apache-2.0
// The clocks of the GPUs of a step or script: set before it starts, set back when it has ended.
// AMD's are files below /sys; NVIDIA's are set by its own program.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shepherd/order.h"

namespace ym {

class GpuSpeeds {
 public:
  // As the order wishes; nothing if it has no wish, or no GPUs. What went wrong, for the log: a
  // step runs at any speed. Blocks while NVIDIA's program runs, at most for some seconds.
  std::vector<std::string> set(const ShepherdOrder& order);
  // What was set, for a user who asked for it (verbose): "GpuFreq=graphics_freq:1200,...", a line
  // for each GPU. Empty: he did not ask.
  const std::string& told() const { return told_; }
  // To what it was. Without effect after the first time.
  void restore();

 private:
  struct Amd {
    std::string folder, level;                      // of power_dpm_force_performance_level
    std::map<std::string, std::uint32_t> selected;  // file: the step that was active
  };
  std::vector<Amd> amd_;
  std::vector<std::string> nvidia_;  // their numbers
  std::string smi_, told_;
};

// "1: 800Mhz *": the steps of a clock that AMD's driver offers.
struct DpmStep {
  std::uint32_t index = 0, mhz = 0;
  bool active = false;
};
std::vector<DpmStep> parse_dpm_steps(std::string_view text);

// "5001, 1590": clocks of memory, each with those of graphics that go with it.
using SupportedClocks = std::map<std::uint32_t, std::vector<std::uint32_t>>;
SupportedClocks parse_supported_clocks(std::string_view text);

}  // namespace ym
