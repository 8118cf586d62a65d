// SPDX-License-Identifier: Apache-2.0
// Come back later: nothing was done with the request. Whoever asks waits, and asks again.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ym {

// Slurm's number and text.
inline constexpr std::uint32_t kRateLimited = 1804;
inline constexpr std::string_view kRateLimitedText =
    "Rate limit exceeded, please retry momentarily";

inline std::unexpected<Error> come_back_later() {
  return fail(kRateLimited, std::string(kRateLimitedText));
}

}  // namespace ym
