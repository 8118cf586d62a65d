// SPDX-License-Identifier: Apache-2.0
// Outcomes as curves over time, thinned to what can be seen.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/replay.h"
#include "trace/workload.h"

namespace ym::trace {

using Curve = std::vector<std::pair<double, double>>;  // x ascending

struct Span {
  std::int64_t from_s = 0, to_s = 0;
};

// What `from` and `to` change by how much, from when to when.
struct Stay {
  std::int64_t from_s = 0, to_s = 0;
  double amount = 0;
};
// The sum of all that stay, as means over equal pieces of the span; each piece is told by its left
// end, and the last value stands at the right end, too. O(stays + pieces).
Curve mean_curve(const std::vector<Stay>& stays, const Span& span, std::size_t pieces);

Curve busy_curve(const Workload& workload, const Outcome& outcome, const Span& span,
                 std::size_t pieces);  // processors
Curve queue_curve(const Workload& workload, const Outcome& outcome, const Span& span,
                  std::size_t pieces);  // jobs that wait

// For each of some waits (s), ascending, the part of the jobs that waited no longer.
Curve wait_distribution(const Workload& workload, const Outcome& outcome, std::size_t points);

// The last end of all.
std::int64_t last_end(const Outcome& outcome);

}  // namespace ym::trace
