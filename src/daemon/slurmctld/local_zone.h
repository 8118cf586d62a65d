// SPDX-License-Identifier: Apache-2.0
// The machine's time zone, for crontabs.
#pragma once
#include "notation/timestamp.h"
#include "os/clock.h"

namespace ym {

class MachineZone final : public TimeZone {
 public:
  CivilTime to_local(Instant time) const override {
    return civil_time_of(time.unix_seconds() + zone_offset_seconds(time));
  }
  Instant to_utc(const CivilTime& local) const override {
    std::int64_t as_utc = unix_seconds_of(local);
    // The offset of a near instant, then once more with that: exact but for the hour of a change.
    std::int64_t guess = as_utc - zone_offset_seconds(Instant::from_unix_seconds(as_utc));
    return Instant::from_unix_seconds(as_utc -
                                      zone_offset_seconds(Instant::from_unix_seconds(guess)));
  }
};

}  // namespace ym
