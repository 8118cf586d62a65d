// SPDX-License-Identifier: Apache-2.0
// --core-spec and --thread-spec.
#pragma once
#include <algorithm>

#include "base/text.h"
#include "model/config.h"

namespace ym {

// AllowSpecResourcesUsage: may jobs say how many cores they leave to the system?
inline bool may_spare_cores(const MainConfig& config) {
  return std::ranges::any_of(config.shown, [](const auto& one) {
    return one.first == "AllowSpecResourcesUsage" && same_ignoring_case(one.second, "Yes");
  });
}

}  // namespace ym
