// SPDX-License-Identifier: Apache-2.0
#include "trace/workload.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/format.h"

namespace ym::trace {

std::uint32_t Names::place_of(std::string_view name) {
  auto at = places_.find(name);
  if (at != places_.end()) return at->second;
  auto place = static_cast<std::uint32_t>(list_.size());
  list_.emplace_back(name);
  places_.emplace(name, place);
  return place;
}

std::string name_at(const std::vector<std::string>& names, std::uint32_t place) {
  return place ? names[place - 1] : std::string();
}

void settle(Workload& workload) {
  if (!std::ranges::is_sorted(workload.jobs, {}, &TraceJob::submit_s)) {
    std::vector<std::size_t> order(workload.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(workload.jobs[i].submit_s, i); });
    std::vector<TraceJob> sorted;
    sorted.reserve(order.size());
    for (std::size_t i : order) sorted.push_back(workload.jobs[i]);
    workload.jobs = std::move(sorted);
  }
  if (workload.jobs.empty()) return;
  std::int64_t first = workload.jobs.front().submit_s;
  if (workload.origin_unix_s) workload.origin_unix_s += first;
  for (TraceJob& job : workload.jobs) {
    job.submit_s -= first;
    if (job.recorded_start_s != kNotStarted) job.recorded_start_s -= first;
  }
}

std::string print_swf(const Workload& workload) {
  std::string out = fmt::format("; Version: 2.2\n; MaxJobs: {}\n; MaxProcs: {}\n",
                                workload.jobs.size(), workload.procs);
  auto to = std::back_inserter(out);
  for (const TraceJob& job : workload.jobs) {
    std::int64_t wait =
        job.recorded_start_s == kNotStarted ? -1 : job.recorded_start_s - job.submit_s;
    // Kilobytes for each processor.
    std::uint64_t memory_kb = (job.memory_mb * 1024 + job.procs - 1) / job.procs;
    fmt::format_to(
        to, "{} {} {} {} {} -1 -1 {} {} {} 1 {} -1 -1 {} -1 -1 -1\n", job.id, job.submit_s, wait,
        job.run_s, job.procs, job.procs, job.limit_s ? std::int64_t{job.limit_s} : -1,
        memory_kb ? static_cast<std::int64_t>(memory_kb) : -1, job.user + 1, job.partition + 1);
  }
  return out;
}

}  // namespace ym::trace
