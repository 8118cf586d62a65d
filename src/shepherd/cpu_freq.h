// SPDX-License-Identifier: Apache-2.0
// The speed of a step's CPUs: set by what the kernel shows below /sys before its tasks start, and
// set back to what it was when they have ended.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "shepherd/order.h"

namespace ym {

class CpuSpeeds {
 public:
  // As the order wishes; nothing if it has no wish, or its tasks are not confined to CPUs. What
  // went wrong, for the log: a step runs at any speed.
  std::vector<std::string> set(const ShepherdOrder& order);
  // To what it was. Without effect after the first time.
  void restore();

 private:
  struct Before {
    std::string folder, governor;
    std::uint32_t least = 0, most = 0;
  };
  std::vector<Before> before_;
};

}  // namespace ym
