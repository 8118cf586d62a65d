// SPDX-License-Identifier: Apache-2.0
#include "model/job.h"

#include <algorithm>

#include "base/format.h"

namespace ym {

bool tasks_follow_nodes(const JobSpec& spec) {
  bool one_each = spec.tasks <= spec.min_nodes;
  bool some_each = spec.tasks == std::uint64_t{spec.min_nodes} * spec.tasks_per_node;
  return spec.max_nodes > spec.min_nodes && (one_each || some_each);
}

std::uint32_t tasks_on(const JobSpec& spec, std::size_t nodes) {
  if (nodes <= spec.min_nodes || !tasks_follow_nodes(spec)) return spec.tasks;
  bool some_each = spec.tasks == std::uint64_t{spec.min_nodes} * spec.tasks_per_node;
  std::uint64_t each = some_each ? spec.tasks_per_node : 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(nodes * each, 0x7fffffff));
}

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::Pending: return "PENDING";
    case JobState::Running: return "RUNNING";
    case JobState::Suspended: return "SUSPENDED";
    case JobState::Completed: return "COMPLETED";
    case JobState::Cancelled: return "CANCELLED";
    case JobState::Failed: return "FAILED";
    case JobState::Timeout: return "TIMEOUT";
    case JobState::NodeFail: return "NODE_FAIL";
    case JobState::Preempted: return "PREEMPTED";
    case JobState::BootFail: return "BOOT_FAIL";
    case JobState::Deadline: return "DEADLINE";
    case JobState::OutOfMemory: return "OUT_OF_MEMORY";
  }
  return "UNKNOWN";
}

std::string_view short_name_of(JobState state) {
  switch (state) {
    case JobState::Pending: return "PD";
    case JobState::Running: return "R";
    case JobState::Suspended: return "S";
    case JobState::Completed: return "CD";
    case JobState::Cancelled: return "CA";
    case JobState::Failed: return "F";
    case JobState::Timeout: return "TO";
    case JobState::NodeFail: return "NF";
    case JobState::Preempted: return "PR";
    case JobState::BootFail: return "BF";
    case JobState::Deadline: return "DL";
    case JobState::OutOfMemory: return "OOM";
  }
  return "?";
}

std::vector<std::uint32_t> Allocation::rows() const {
  std::vector<std::uint32_t> all;
  for (const NodeShare& share : nodes)
    if (share.row) all.resize(nodes.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = nodes[i].row;
  return all;
}

std::uint32_t Allocation::cpus() const {
  std::uint32_t sum = 0;
  for (const NodeShare& share : nodes) sum += share.cpus;
  return sum;
}

const NodeShare& Allocation::batch_share() const {
  auto at = std::ranges::find(nodes, batch_node, &NodeShare::node);
  return batch_node && at != nodes.end() ? *at : nodes.front();
}

std::string display_id(const Job& job) {
  if (job.array) {
    std::string limit = job.array->max_running ? fmt::format("%{}", job.array->max_running) : "";
    return fmt::format("{}_[{}{}]", job.array_job.value, job.array->waiting.str(), limit);
  }
  if (job.array_job && job.array_task != kNoTask)
    return fmt::format("{}_{}", job.array_job.value, job.array_task);
  if (job.het_job) return fmt::format("{}+{}", job.het_job.value, job.het_offset);
  return fmt::format("{}", job.id.value);
}

}  // namespace ym
