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

// When a job that starts at `start` is over at the latest.
Instant latest_end(const JobSpec& spec, Instant start);

}  // namespace ym
