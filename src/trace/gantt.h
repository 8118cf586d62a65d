// SPDX-License-Identifier: Apache-2.0
// A chart of who had which processors when. Traces do not name processors, so each job gets the
// lowest that are free: boxes, one or several for a job.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/curves.h"
#include "trace/replay.h"
#include "trace/workload.h"

namespace ym::trace {

struct Box {
  std::uint32_t job = 0;  // place in the workload
  std::int64_t from_s = 0, to_s = 0;
  std::uint64_t first = 0, count = 0;  // processors
};

// Of the jobs that run within the span. More processors than `procs` are never used by an outcome
// of a replay; a recorded one may, and then goes beyond.
std::vector<Box> boxes_of(const Workload& workload, const Outcome& outcome, const Span& span);

// The span around the longest queue in which no more than `jobs_max` jobs run; everything, if there
// are so few.
Span busiest_span(const Workload& workload, const Outcome& outcome, std::size_t jobs_max);

}  // namespace ym::trace
