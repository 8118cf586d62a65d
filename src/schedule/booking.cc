// SPDX-License-Identifier: Apache-2.0
#include "schedule/booking.h"

namespace ym {

Instant latest_end(const JobSpec& spec, Instant start) {
  bool unlimited = spec.time_limit_s == 0 || spec.time_limit_s == JobSpec::kUnlimited;
  return unlimited ? kNever : start + std::chrono::seconds(spec.time_limit_s);
}

}  // namespace ym
