// SPDX-License-Identifier: Apache-2.0
// --acctg-freq and JobAcctGatherFrequency: "30", or "task=30,energy=60,network=30,filesystem=0".
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace ym {

inline constexpr std::uint32_t kAcctFrequencyMax = 86400;

// Seconds between samples of tasks; 0: only at their end; nothing if the text has no word on tasks.
Result<std::optional<std::uint32_t>> parse_acct_frequency(std::string_view text);

}  // namespace ym
