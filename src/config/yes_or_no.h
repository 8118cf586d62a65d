// SPDX-License-Identifier: Apache-2.0
// Switches in the small files beside slurm.conf.
#pragma once
#include <optional>
#include <string_view>

#include "base/text.h"

namespace ym {

inline std::optional<bool> yes_or_no(std::string_view text) {
  for (const char* word : {"yes", "true", "up", "1"})
    if (same_ignoring_case(text, word)) return true;
  for (const char* word : {"no", "false", "down", "0"})
    if (same_ignoring_case(text, word)) return false;
  return std::nullopt;
}

}  // namespace ym
