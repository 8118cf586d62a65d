// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/token_rate.h"

#include "base/format.h"
#include "model/rate_limit.h"

namespace ym {

Status TokenRate::ask(std::uint32_t uid, Duration now) {
  if (uid == 0 || limiter_.ask(uid, now) == RateLimiter::Verdict::Pass) return {};
  return fail(kRateLimited,
              fmt::format("{}: uid {} asks for more than {} tokens a second on this machine",
                          kRateLimitedText, uid, kRules.refill_rate));
}

}  // namespace ym
