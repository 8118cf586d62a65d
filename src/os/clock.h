// SPDX-License-Identifier: Apache-2.0
// The one place where time comes from (clock_real.cc).
#pragma once
#include "base/time.h"

namespace ym {

Instant wall_clock();
// Counts on whatever the wall clock does; for deadlines.
Duration monotonic_clock();
// Seconds east of Greenwich at that moment, by the C library's zone.
int zone_offset_seconds(Instant at);

}  // namespace ym
