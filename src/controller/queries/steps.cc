// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/steps.h"

#include <algorithm>

#include "controller/queries/select.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

// The controller keeps no record of the batch script's own step: it is the job.
Step batch_step(const Job& job) {
  const NodeShare& host = job.allocation->batch_share();
  return {.id = kBatchStep,
          .name = "batch",
          .tasks = 1,
          .cpus_per_task = host.cpus,
          .shares = {{.node = host.node, .tasks = 1, .cpus = host.cpus}},
          .nodes_left = {host.node},
          .start = job.start};
}

// A step that has asked for no memory may use its job's: all of it on a node, or, where the job has
// it for each CPU, what comes with the step's own.
std::uint64_t memory_of(const Job& job, const StepShare& share) {
  if (share.memory_mb) return share.memory_mb;
  for (const NodeShare& held : job.allocation->nodes) {
    if (held.node != share.node) continue;
    bool by_cpu = job.spec->memory_per_cpu_mb && held.cpus > share.cpus;
    return by_cpu ? held.memory_mb * share.cpus / held.cpus : held.memory_mb;
  }
  return 0;
}

StepRow row_of(const State& state, const Job& job, Step step) {
  const Partition* partition = state.find(job.partition);
  StepRow row{.job = job.id,
              .array_job = job.array_job,
              .array_task = job.array_task,
              .uid = job.spec->uid,
              .user_name = job.spec->user_name,
              .partition = partition ? partition->spec->name : job.spec->partitions,
              .step = std::move(step),
              .het_job = job.het_job,
              .het_offset = job.het_offset};
  std::vector<std::string> names;
  for (StepShare& share : row.step.shares) {
    share.memory_mb = memory_of(job, share);
    const Node* node = state.find(share.node);
    if (!node) continue;
    row.addresses.push_back(address_of(*node));
    names.push_back(node->spec->name);
  }
  row.nodes = Hostlist::of(names).str();
  return row;
}

bool has_steps(const Job& job) {
  bool holds = job.state == JobState::Running || job.state == JobState::Suspended;
  return holds && !job.allocation->nodes.empty() && (job.runs_script() || !job.steps->empty());
}

}  // namespace

NodeAddress address_of(const Node& node) {
  return {.node = node.id,
          .name = node.spec->name,
          .address = node.spec->address.empty() ? node.registration->address : node.spec->address,
          .port = node.registration->port ? node.registration->port : node.spec->port};
}

std::vector<StepRow> step_rows(const State& state, const Job& job, std::optional<StepId> step) {
  std::vector<StepRow> rows;
  if (!has_steps(job)) return rows;
  if (job.runs_script() && step.value_or(kBatchStep) == kBatchStep)
    rows.push_back(row_of(state, job, batch_step(job)));
  for (const Step& one : *job.steps)
    if (step.value_or(one.id) == one.id) rows.push_back(row_of(state, job, one));
  return rows;
}

std::vector<StepRow> all_step_rows(const State& state, const Job& job) {
  std::vector<StepRow> rows = step_rows(state, job, std::nullopt);
  for (const EndedStep& ended : *job.ended_steps)
    rows.push_back(row_of(state, job, ended.step)), rows.back().end = ended.end;
  auto rank = [](const StepRow& row) {
    StepId id = row.step.id;
    int kind = id == kBatchStep ? 0 : id == kExternStep ? 1 : id == kInteractiveStep ? 2 : 3;
    return std::pair(kind, id);
  };
  std::ranges::sort(rows, {}, rank);
  return rows;
}

bool was_there(const Job& job, Instant since, Instant until) {
  if (until && job.submit > until) return false;
  return !since || !job.end || job.end >= since;
}

void for_each_with_steps(const State& state, const QuerySteps& query,
                         const std::function<bool(const Job&)>& visit, JobId from) {
  JobFilter filter{.states = {JobState::Running, JobState::Suspended}};
  if (query.job) filter.targets.push_back({.job = *query.job});
  auto visit_some = [&](const Job& job) { return !has_steps(job) || visit(job); };
  for_each_selected(state, filter, visit_some, from);
}

}  // namespace ym
