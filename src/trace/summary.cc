// SPDX-License-Identifier: Apache-2.0
#include "trace/summary.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace ym::trace {
namespace {

// Collects what a group's jobs went through.
struct Bin {
  double proc_seconds = 0;
  std::vector<double> waits, slowdowns;

  void add(double wait, double slowdown, double work) {
    proc_seconds += work;
    waits.push_back(wait);
    slowdowns.push_back(slowdown);
  }
  Group group(std::string name) {
    return {.name = std::move(name),
            .jobs = waits.size(),
            .proc_seconds = proc_seconds,
            .wait_s = spread_of(std::move(waits)),
            .slowdown = spread_of(std::move(slowdowns))};
  }
};

std::vector<Group> groups_of(std::vector<Bin>& bins, const std::vector<std::string>& names) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < bins.size(); ++i)
    if (!bins[i].waits.empty()) groups.push_back(bins[i].group(names[i]));
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.proc_seconds > b.proc_seconds || (a.proc_seconds == b.proc_seconds && a.name < b.name);
  });
  return groups;
}

}  // namespace

double bounded_slowdown(std::int64_t wait_s, std::int64_t run_s) {
  double response = static_cast<double>(wait_s + run_s);
  return std::max(1.0, response / static_cast<double>(std::max(run_s, kSlowdownBound)));
}

Spread spread_of(std::vector<double> sample) {
  if (sample.empty()) return {};
  Spread spread;
  for (double value : sample) spread.mean += value;
  auto count = static_cast<double>(sample.size());
  spread.mean /= count;
  auto quantile = [&](double part) {
    auto rank = static_cast<std::ptrdiff_t>(std::ceil(part * count)) - 1;
    auto at = sample.begin() + std::max<std::ptrdiff_t>(rank, 0);
    std::nth_element(sample.begin(), at, sample.end());
    return *at;
  };
  spread.median = quantile(0.5);
  spread.p95 = quantile(0.95);
  spread.max = *std::ranges::max_element(sample);
  return spread;
}

std::size_t size_class(std::uint32_t procs) {
  std::size_t number = 0;
  for (std::uint64_t top = 1; procs > top; top *= 4) ++number;
  return number;
}

std::string size_class_name(std::size_t number) {
  if (number == 0) return "1";
  std::uint64_t below = std::uint64_t{1} << (2 * (number - 1));
  return fmt::format("{}-{}", below + 1, below * 4);
}

Summary summarise(const Workload& workload, const Outcome& outcome, std::uint64_t procs) {
  Summary out{.jobs = workload.jobs.size(), .refused = outcome.refused};
  std::vector<Bin> users(workload.users.size()), partitions(workload.partitions.size());
  std::vector<Bin> sizes(size_class(kProcsMax) + 1);
  Bin all;
  std::int64_t last_end = 0;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const TraceJob& job = workload.jobs[i];
    const JobFate& fate = outcome.jobs[i];
    out.restarts += fate.restarts;
    if (fate.start_s == kNotStarted || fate.end_s == kNotStarted) continue;
    ++out.started;
    out.timed_out += fate.state == JobState::Timeout;
    std::int64_t run = fate.end_s - fate.start_s;
    auto wait = static_cast<double>(fate.start_s - job.submit_s);
    double slowdown = bounded_slowdown(fate.start_s - job.submit_s, run);
    double work = static_cast<double>(run) * job.procs;
    last_end = std::max(last_end, fate.end_s);
    all.add(wait, slowdown, work);
    users[job.user].add(wait, slowdown, work);
    partitions[job.partition].add(wait, slowdown, work);
    sizes[size_class(job.procs)].add(wait, slowdown, work);
  }
  out.never_started = out.jobs - out.started - out.refused;
  Group whole = all.group("all");
  out.wait_s = whole.wait_s;
  out.slowdown = whole.slowdown;
  out.proc_seconds = whole.proc_seconds;
  out.makespan_s = last_end;
  if (procs && last_end)
    out.utilisation =
        out.proc_seconds / (static_cast<double>(procs) * static_cast<double>(last_end));
  out.users = groups_of(users, workload.users);
  out.partitions = groups_of(partitions, workload.partitions);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (!sizes[i].waits.empty()) out.sizes.push_back(sizes[i].group(size_class_name(i)));
  return out;
}

Outcome recorded_outcome(const Workload& workload) {
  Outcome out;
  for (const TraceJob& job : workload.jobs) {
    JobFate fate;
    if (job.recorded_start_s != kNotStarted)
      fate = {.start_s = job.recorded_start_s,
              .end_s = job.recorded_start_s + job.run_s,
              .state = JobState::Completed};
    out.jobs.push_back(fate);
  }
  return out;
}

}  // namespace ym::trace
