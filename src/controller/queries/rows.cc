// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/rows.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "controller/nodes/shortcoming.h"
#include "model/job_fields.h"
#include "notation/hostlist.h"
#include "schedule/shape.h"

namespace ym {
namespace {

// When the job is to start, if that is planned.
Instant expected_start(const Job& job, const Verdict& verdict, const Verdicts& verdicts) {
  if (job.het_job || verdict.head == job.id) return verdict.expected_start;
  auto at = verdicts.promised.find(job.id);
  return at == verdicts.promised.end() ? Instant{} : at->second;
}

// A job that has just come in, or whose shape was not reached, waits for its turn.
const Verdict* verdict_of(const Job& job, const Verdicts& verdicts, std::uint64_t shape = 0) {
  if (job.het_job) {
    auto at = verdicts.het.find(job.het_job);
    return at == verdicts.het.end() ? nullptr : &at->second;
  }
  auto at = verdicts.shapes.find(shape ? shape : shape_hash(shape_key(*job.spec)));
  return at == verdicts.shapes.end() ? nullptr : &at->second;
}

const Partition* first_partition(const State& state, const JobSpec& spec) {
  return state.find_partition(spec.partitions.substr(0, spec.partitions.find(',')));
}

}  // namespace

Reason reason_of(const Job& job, const Verdicts& verdicts, Instant now) {
  return reason_of(job, verdicts, now, 0);
}

Reason reason_of(const Job& job, const Verdicts& verdicts, Instant now, std::uint64_t shape) {
  if (job.configuring) return Reason::Prolog;
  if (job.requeue_wanted && job.completing()) return Reason::Cleaning;
  if (job.state == JobState::Running && job.holds.admin) return Reason::JobHeldAdmin;
  if (job.state == JobState::Running && job.holds.user) return Reason::JobHeldUser;
  if (job.state != JobState::Pending) return job.end_reason;
  bool says_why = job.end_reason == Reason::LaunchFailedRequeuedHeld ||
                  job.end_reason == Reason::RequeuedHeld || job.end_reason == Reason::MaxRequeue;
  if (job.held() && says_why) return job.end_reason;
  if (job.holds.admin) return Reason::JobHeldAdmin;
  if (job.holds.user || job.priority == 0) return Reason::JobHeldUser;
  if (job.dependency_failed) return Reason::DependencyNeverSatisfied;
  if (!job.dependency->empty()) return Reason::Dependency;
  if (job.eligible > now) return Reason::BeginTime;
  if (auto own = verdicts.jobs.find(job.id); own != verdicts.jobs.end()) return own->second;
  const Verdict* verdict = verdict_of(job, verdicts, shape);
  bool planned = !verdicts.shapes.empty() || !verdicts.het.empty();
  if (!verdict) return planned ? Reason::Priority : Reason::None;
  if (job.het_job) return verdict->reason;  // they wait together
  bool shared =
      verdict->reason != Reason::Resources;  // about the request, not about whose turn it is
  return shared || verdict->head == job.id ? verdict->reason : Reason::Priority;
}

namespace {

// What the state says of a reservation behind the reason.
void note_reservation(JobRow& row, const State& state, const Job& job) {
  const std::string& name = job.spec->extras->reservation;
  if (row.reason == Reason::JobHeldAdmin && !name.empty() && !state.find_reservation(name))
    row.reason = Reason::ReservationDeleted;
  if (row.reason != Reason::ReqNodeNotAvail || job.state != JobState::Pending) return;
  bool maintenance = false;
  state.reservations.for_each([&](std::uint64_t, const Reservation& one) {
    maintenance = maintenance || one.has(ReservationFlag::Maint);
  });
  if (maintenance) row.reason_text = "Reserved for maintenance";
}

}  // namespace

std::string nodes_text(const State& state, const Allocation& allocation) {
  std::vector<std::string> names;
  names.reserve(allocation.nodes.size());
  for (const NodeShare& share : allocation.nodes)
    if (const Node* node = state.find(share.node)) names.push_back(node->spec->name);
  return Hostlist::of(names).str();
}

namespace {

std::string place_text(const State& state, const Verdicts& verdicts, JobId job) {
  auto at = verdicts.places.find(job);
  if (at == verdicts.places.end()) return "";
  std::vector<std::string> names;
  for (NodeId id : *at->second)
    if (const Node* node = state.find(id)) names.push_back(node->spec->name);
  return Hostlist::of(names).str();
}

}  // namespace

JobRow job_row(const State& state, const Job& job, const Verdicts& verdicts, Instant now) {
  JobRow row{.job = job, .reason = reason_of(job, verdicts, now)};
  note_reservation(row, state, job);
  row.nodes = nodes_text(state, *job.allocation);
  if (!job.allocation->nodes.empty())
    if (const Node* first = state.find(job.allocation->batch_share().node))
      row.batch_host = first->spec->name;
  const Partition* partition = state.find(job.partition);
  row.partition = partition ? partition->spec->name : job.spec->partitions;
  if (!partition) partition = first_partition(state, *job.spec);
  if (partition) {
    row.sharing = sharing_of(*partition->spec);
    row.billing_weights = partition->spec->tres_billing_weights;
  }
  if (const Verdict* verdict = verdict_of(job, verdicts)) {
    if (verdict->reason == row.reason) row.reason_text = verdict->text;
    row.expected_start = expected_start(job, *verdict, verdicts);
  }
  bool waits = job.state == JobState::Pending;
  if (waits && row.expected_start && !job.held())
    row.scheduled_nodes = place_text(state, verdicts, job.id);
  row.last_eval = !waits ? job.start : job.held() ? job.submit : std::max(verdicts.at, job.submit);
  if (row.last_eval) row.scheduler = "Main";
  if (job.state == JobState::Pending && job.held()) {
    row.job.priority = 0;
    row.job.eligible = {};
    row.expected_start = {};
  }
  return row;
}

JobRow brief_row(const State& state, const Job& job, const Verdicts& verdicts, Instant now,
                 std::uint64_t fields, std::uint64_t shape) {
  bool pending = job.state == JobState::Pending;
  JobRow row{.job = only(fields, job)};
  if (has(fields, JobField::Reason)) {
    row.reason = reason_of(job, verdicts, now, shape);
    note_reservation(row, state, job);
  }
  // A pending job's partitions are its spec's; see SpecShelf.
  if (has(fields, JobField::Partition))
    if (const Partition* partition = state.find(job.partition))
      row.partition = partition->spec->name;
  bool held = pending && job.held();
  bool tells = row.reason != Reason::Priority && row.reason != Reason::None;
  bool expected = has(fields, JobField::Expected) && pending && !held;
  if (expected || (tells && pending && !held && has(fields, JobField::Reason)))
    if (const Verdict* verdict = verdict_of(job, verdicts, shape)) {
      if (tells && verdict->reason == row.reason) row.reason_text = verdict->text;
      if (expected) row.expected_start = expected_start(job, *verdict, verdicts);
      // Both: nobody else is shown where it is to start.
      if (row.expected_start && has(fields, JobField::Nodes))
        row.scheduled_nodes = place_text(state, verdicts, job.id);
    }
  if (held) {
    row.job.priority = 0;
    row.job.eligible = {};
  }
  const Allocation& allocation = *job.allocation;
  if (allocation.nodes.empty()) return row;
  if (has(fields, JobField::NodeCount))
    row.node_count = static_cast<std::uint32_t>(allocation.nodes.size());
  if (has(fields, JobField::CpuCount)) row.cpu_count = allocation.cpus();
  if (!has(fields, JobField::Nodes)) return row;
  row.nodes = nodes_text(state, allocation);
  if (const Node* first = state.find(allocation.batch_share().node))
    row.batch_host = first->spec->name;
  return row;
}

void count_priority(JobRow& row, const State& state, const Job& job, Instant now,
                    const PriorityScale& scale, bool with_parts) {
  bool pending = job.state == JobState::Pending;
  bool counts_on = pending || (job.state == JobState::Running && scale.rules.calculate_running);
  // Nobody counts on for the others: it is what they had when they started or were given up.
  Instant at = counts_on ? now : job.start ? job.start : job.end;
  if (scale.rules.counts() && !(pending && job.held()))
    row.job.priority = priority_at(job, state, at, scale);
  if (!with_parts || !pending || job.held()) return;
  for (std::string_view name : split_words(job.spec->partitions, ',')) {
    const Partition* partition = state.find_partition(name);
    if (!partition) continue;
    row.priority_parts.push_back(priority_parts(job, *partition->spec, now, scale));
    if (!scale.rules.counts()) row.priority_parts.back().priority = job.priority;
  }
}

NodeRow node_row(const State& state, const Node& node) {
  NodeRow row{.node = node};
  state.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    if (std::ranges::binary_search(*partition.nodes, node.id))
      row.partitions.push_back(partition.spec->name);
  });
  return row;
}

std::vector<NodeId> planned_nodes(const State& state, const Verdicts& verdicts) {
  std::vector<NodeId> out;
  for (const auto& [id, nodes] : verdicts.places) {
    const Job* job = state.find(id);
    bool waits = job && job->state == JobState::Pending && !job->held();
    if (waits) out.insert(out.end(), nodes->begin(), nodes->end());
  }
  std::ranges::sort(out);
  auto doubled = std::ranges::unique(out);
  out.erase(doubled.begin(), doubled.end());
  return out;
}

void mark_planned(NodeRow& row, const std::vector<NodeId>& planned) {
  Node& node = row.node;
  bool has_room = node.condition == NodeCondition::Up && !node.exclusive &&
                  (node.jobs == 0 || node.cpus_used < node.spec->cpus_for_jobs());
  node.planned = has_room && std::ranges::binary_search(planned, node.id);
}

std::vector<NodeId> blocked_nodes(const State& state, const Topologies& topologies) {
  std::vector<NodeShare> held;
  state.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (node.for_topo > 0) held.push_back({.node = node.id});
  });
  if (held.empty()) return {};
  std::set<NodeId> out;
  for (const auto& [name, groups] : topologies)
    for (NodeId node : blocks_around(*groups, held)) out.insert(node);
  for (const NodeShare& share : held) out.erase(share.node);
  return {out.begin(), out.end()};
}

void mark_obstacles(NodeRow& row, const std::vector<NodeId>& blocked, bool config_overrides) {
  Node& node = row.node;
  node.blocked = std::ranges::binary_search(blocked, node.id);
  bool registered = node.registration->cpus > 0;
  node.invalid =
      registered && !shortcoming(*node.spec, *node.registration, config_overrides).empty();
}

PartitionRow partition_row(const State& state, const Partition& partition) {
  PartitionRow row{.partition = partition};
  for (NodeId id : *partition.nodes) {
    const Node* node = state.find(id);
    if (!node) continue;
    ++row.node_count;
    row.cpus += node->spec->cpus;
    row.memory_mb += node->spec->memory_mb;
  }
  return row;
}

}  // namespace ym
