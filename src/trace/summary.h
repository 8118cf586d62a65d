// SPDX-License-Identifier: Apache-2.0
// What an outcome comes to: waits, slowdowns, utilisation, in all and by user, partition and size.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trace/replay.h"
#include "trace/workload.h"

namespace ym::trace {

// A run shorter than this counts as so long, so that a job of a second that waited for a minute
// does not outweigh all others.
inline constexpr std::int64_t kSlowdownBound = 10;

double bounded_slowdown(std::int64_t wait_s, std::int64_t run_s);

// Of some numbers; quantiles are members of the sample (nearest rank).
struct Spread {
  double mean = 0, median = 0, p95 = 0, max = 0;
};
Spread spread_of(std::vector<double> sample);

struct Group {
  std::string name;
  std::size_t jobs = 0;
  double proc_seconds = 0;
  Spread wait_s, slowdown;
};

struct Summary {
  std::size_t jobs = 0;     // of the workload
  std::size_t started = 0;  // and so part of the numbers below
  std::size_t refused = 0, never_started = 0, timed_out = 0;
  std::size_t restarts = 0;  // of jobs that made room and ran again
  Spread wait_s, slowdown;
  double utilisation = 0;       // of the processors, from the first submission to the last end
  std::int64_t makespan_s = 0;  // that long
  double proc_seconds = 0;
  std::vector<Group> users, partitions, sizes;  // the largest users first; sizes ascending
};

Summary summarise(const Workload& workload, const Outcome& outcome, std::uint64_t procs);

// The class of sizes that a job belongs to: 1, 2-4, 5-16, 17-64 …
std::size_t size_class(std::uint32_t procs);
std::string size_class_name(std::size_t number);

// The schedule that the trace itself tells of, for a comparison. REQUIRES: has_recorded_starts.
Outcome recorded_outcome(const Workload& workload);

}  // namespace ym::trace
