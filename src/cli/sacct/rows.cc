// SPDX-License-Identifier: Apache-2.0
// What sacct says of a job and of its steps: states, times, and what was used.
#include <algorithm>

#include "cli/sacct/sacct.h"

namespace ym::cli {
namespace {

std::string job_state(const Job& job) {
  if (job.state == JobState::Cancelled) return fmt::format("CANCELLED by {}", job.killed_by.value);
  // One that comes back to the queue.
  if (is_terminal(job.state) && job.requeue_wanted) return "REQUEUED";
  return std::string(name_of(job.state));
}

// A step that did not end by itself was cancelled with its job.
std::string step_state(const Job& job, const StepRow& row) {
  const Step& step = row.step;
  if (!row.end) return job.state == JobState::Suspended ? "SUSPENDED" : "RUNNING";
  if (step.out_of_memory) return "OUT_OF_MEMORY";
  if (step.worst.ok()) return "COMPLETED";
  bool ended_with_job = job.state == JobState::Cancelled || job.state == JobState::Timeout ||
                        job.state == JobState::NodeFail || job.state == JobState::Preempted ||
                        job.state == JobState::Deadline;
  if (step.worst.signal && ended_with_job)
    return job.state == JobState::NodeFail ? "NODE_FAIL" : "CANCELLED";
  return "FAILED";
}

Instant clamp(Instant time, const SacctRow& row) {
  if (!row.cut || !time) return time;
  if (row.since && time < row.since) return row.since;
  if (row.until && time > row.until) return row.until;
  return time;
}

}  // namespace

std::string sacct_state(const SacctRow& row) {
  return row.step ? step_state(row.job.job(), *row.step) : job_state(row.job.job());
}

StepUsage used_by(const SacctRow& row) {
  if (row.step) return row.step->step.usage;
  StepUsage sum;
  for (const StepRow& step : *row.steps) merge(sum, step.step.usage);
  return sum;
}

Instant start_of(const SacctRow& row) {
  return clamp(row.step ? row.step->step.start : row.job.job().start, row);
}

Instant end_of(const SacctRow& row) {
  return clamp(row.step ? row.step->end : row.job.job().end, row);
}

Duration elapsed(const SacctRow& row) {
  Instant start = start_of(row), end = end_of(row);
  if (!start) return Duration(0);
  Duration paused = row.step ? Duration(0) : row.job.job().suspended_for;
  return std::max(Duration(0), (end ? end : clamp(row.job.now, row)) - start - paused);
}

std::uint32_t cpus_of(const SacctRow& row) {
  if (!row.step) return cpu_count_of(row.job);
  std::uint32_t cpus = 0;
  for (const StepShare& share : row.step->step.shares) cpus += share.cpus;
  return cpus ? cpus : row.step->step.tasks * std::max(1u, row.step->step.cpus_per_task);
}

}  // namespace ym::cli
