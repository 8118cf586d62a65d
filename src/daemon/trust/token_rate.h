// SPDX-License-Identifier: Apache-2.0
// How many tokens a daemon hands out to one user of its machine: plenty for scripts, and fewer than
// would fill his share of what servers remember (net/replay.h). Any thread may call.
#pragma once
#include <cstdint>

#include "base/result.h"
#include "base/time.h"
#include "config/rate_limit.h"
#include "daemon/trust/rate_limit.h"

namespace ym {

class TokenRate {
 public:
  static constexpr RateRules kRules{
      .enabled = true, .bucket_size = 2000, .refill_rate = 200, .log_freq_s = -1};

  explicit TokenRate(const RateRules& rules = kRules) { limiter_.set_rules(rules); }

  // Refuses in words, with kRateLimited. Root is not limited. `now` of the monotonic clock.
  Status ask(std::uint32_t uid, Duration now);

 private:
  RateLimiter limiter_;
};

}  // namespace ym
