// SPDX-License-Identifier: Apache-2.0
// What a blocked job has been promised, or what a request would get.
#pragma once
#include <map>

#include "model/job.h"

namespace ym {

struct Booking {
  JobId job;
  PartitionId partition;
  Instant start, end;  // end kNever: no limit
  Allocation allocation;
  Reason waits_for = Reason::Resources;  // until then
};
using Bookings = std::map<JobId, Booking>;

// What a job without a time limit counts as where its length matters: for its priority, for
// policies, and beside reservations, or one of 2099 would keep it out now.
inline constexpr Duration kLengthWithoutLimit = std::chrono::days(365);

// When a job that starts at `start` is over at the latest.
Instant latest_end(const JobSpec& spec, Instant start);

}  // namespace ym
