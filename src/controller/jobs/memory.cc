// SPDX-License-Identifier: Apache-2.0
// A running job gives memory back: because it was told to (`scontrol update MinMemoryNode=`), or by
// itself (--mem-update), when it has run for a while.
//
// Its nodes lower its limits and say to what. Only when all have does it hold less, so nobody gets
// memory that it could still use. A node where more is in use keeps as much as that; one that does
// not answer, because it is away or too old to know, is asked again, and nothing changes.
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"

namespace ym {
namespace {

constexpr std::uint64_t kFloorPart = 10;  // a tenth of what was asked for is never given back

bool runs(const Job& job) {
  return job.state == JobState::Running || job.state == JobState::Suspended;
}

std::uint64_t highest(const Allocation& allocation) {
  std::uint64_t most = 0;
  for (const NodeShare& share : allocation.nodes) most = std::max(most, share.memory_mb);
  return most;
}

// On the node with the most of it.
std::uint64_t asked_for(const Job& job) {
  if (job.spec->memory_per_node_mb) return job.spec->memory_per_node_mb;
  std::uint32_t cpus = 0;
  for (const NodeShare& share : job.allocation->nodes) cpus = std::max(cpus, share.cpus);
  return std::max(job.spec->memory_per_cpu_mb * cpus, highest(*job.allocation));
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t part) {
  return value / part + (value % part != 0);
}

// So many per cent above what is in use, on the node with the most of it.
std::uint64_t with_margin(const Job& job, std::uint64_t used_mb) {
  std::uint64_t margin = job.spec->extras->specials->memory_margin;
  std::uint64_t least = std::max<std::uint64_t>(1, rounded_up(asked_for(job), kFloorPart));
  return std::max(least, used_mb + rounded_up(used_mb * margin, 100));
}

}  // namespace

Status Controller::lower_memory(const Job& job, std::uint64_t memory_mb, Instant now, Outbox& out) {
  std::uint64_t wanted = job.memory->wanted_mb;
  std::uint64_t ceiling = wanted ? wanted : highest(*job.allocation);
  if (memory_mb == 0 || memory_mb > ceiling)
    return refuse(Errc::InvalidTaskMemory, "the memory of a running job can only be lowered");
  if (memory_mb == ceiling) return {};
  JobId id = job.id;
  emit(JobMemoryWanted{.job = id, .memory_mb = memory_mb}, now, out);
  ask_nodes(state_.jobs.at(id.value), memory_mb, out);
  return {};
}

// Whatever they were asked before.
void Controller::ask_nodes(const Job& job, std::uint64_t memory_mb, Outbox& out) {
  memory_rounds_[job.id] = {.sluid = job.sluid, .asked_mb = memory_mb, .told = {}};
  for (const NodeShare& share : job.allocation->nodes)
    out.orders.push_back(
        {share.node, LimitMemory{.job = job.id, .sluid = job.sluid, .memory_mb = memory_mb}});
}

// A restarted slurmd does not know to what it keeps steps that have still to come.
void Controller::remind_of_memory(NodeId node, const AttemptReport& attempt, Outbox& out) const {
  const Job* job = state_.find(attempt.job);
  if (!job || job->sluid != attempt.sluid || !runs(*job) || !job->memory->lowered_mb) return;
  if (leaves(*job, node)) return;
  out.orders.push_back(
      {node,
       LimitMemory{.job = job->id, .sluid = job->sluid, .memory_mb = job->memory->lowered_mb}});
}

void Controller::note_memory(NodeId node, const MemoryReport& report, Instant now, Outbox& out) {
  auto at = memory_rounds_.find(report.job);
  if (at == memory_rounds_.end()) return;
  MemoryRound& round = at->second;
  if (round.sluid != report.sluid || round.asked_mb != report.asked_mb) return;
  round.told[node] = report;
  settle_memory(report.job, now, out);
}

// REQUIRES: there is a round. Ends it if all nodes of the job have answered, or nobody waits for
// it.
void Controller::settle_memory(JobId id, Instant now, Outbox& out) {
  const MemoryRound& round = memory_rounds_.at(id);
  const Job* job = state_.find(id);
  if (!job || !runs(*job) || job->sluid != round.sluid) {
    memory_rounds_.erase(id);
    return;
  }
  Allocation lowered = *job->allocation;
  std::uint64_t used_mb = 0;
  for (NodeShare& share : lowered.nodes) {
    auto told = round.told.find(share.node);
    if (told == round.told.end()) return;
    used_mb = std::max(used_mb, told->second.used_mb);
    share.memory_mb = std::min(share.memory_mb, std::max(round.asked_mb, told->second.limit_mb));
  }
  bool looked = round.asked_mb == 0;
  memory_rounds_.erase(id);
  if (looked) {
    std::uint64_t wanted = with_margin(*job, used_mb);
    if (wanted >= highest(*job->allocation)) wanted = 0;
    emit(JobMemoryWanted{.job = id, .memory_mb = wanted, .looked = true}, now, out);
    if (wanted) ask_nodes(state_.jobs.at(id.value), wanted, out);
  } else if (lowered == *job->allocation) {
    emit(JobMemoryWanted{.job = id}, now, out);  // all of it is in use
  } else {
    lowered.generation += 1;
    emit(JobMemoryLowered{.job = id, .allocation = Ref(std::move(lowered))}, now, out);
  }
}

// --mem-update, once in the life of an attempt.
void Controller::look_at_memory(Instant now, Outbox& out) {
  for (const auto& [at, id] : indexes_.by_memory_look()) {
    if (at > now) break;
    if (!memory_rounds_.contains(id)) ask_nodes(state_.jobs.at(id.value), 0, out);
  }
}

void Controller::repeat_memory(Instant now, Outbox& out) {
  std::vector<JobId> waiting;
  for (const auto& [id, round] : memory_rounds_) waiting.push_back(id);
  for (JobId id : waiting) {
    settle_memory(id, now, out);  // a node may have gone that had not answered
    auto at = memory_rounds_.find(id);
    if (at == memory_rounds_.end()) continue;
    const Job& job = state_.jobs.at(id.value);
    for (const NodeShare& share : job.allocation->nodes)
      if (!at->second.told.contains(share.node) && contacts_[share.node].connected)
        out.orders.push_back(
            {share.node,
             LimitMemory{.job = id, .sluid = job.sluid, .memory_mb = at->second.asked_mb}});
  }
}

}  // namespace ym
