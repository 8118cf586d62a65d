// SPDX-License-Identifier: Apache-2.0
#include "sim/ledger.h"

#include <algorithm>
#include <cstdio>

#include "base/format.h"
#include "base/text.h"
#include "model/apply.h"
#include "model/node_gres.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym::sim {
namespace {
constexpr std::size_t kTrailMax = 80;
}

void Ledger::say(Instant now, std::string line) {
  line =
      fmt::format("{:>10.3f}  {}", static_cast<double>(now.unix_ms % 1'000'000'000) / 1000, line);
  if (trace_) std::fprintf(stderr, "%s\n", line.c_str());
  trail_.push_back(std::move(line));
  if (trail_.size() > kTrailMax) trail_.pop_front();
}

void Ledger::fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

void Ledger::appended(const std::vector<Event>& events) {
  pending_.insert(pending_.end(), events.begin(), events.end());
}

void Ledger::durable(Seq through) {
  while (!pending_.empty() && pending_.front().seq <= through && !failed()) {
    Event event = std::move(pending_.front());
    pending_.pop_front();
    fold(event);
  }
  check_resources();
}

// What the crash left of the group in flight counts: it may have become durable unseen.
void Ledger::recovered(const State& found) {
  if (found.seq < state_.seq)
    return fail(fmt::format("recovery found events up to {}, but {} was acknowledged",
                            found.seq.value, state_.seq.value));
  if (found.seq.value > state_.seq.value + pending_.size())
    return fail(fmt::format("recovery found event {}, which was never written", found.seq.value));
  durable(found.seq);
  pending_.clear();
  if (failed()) return;
  if (wire::hash_of(found) != wire::hash_of(state_))
    return fail("the recovered state differs from what the log says");
  for (const auto& [job, dependency] : acknowledged_)
    if (!found.find(job) && !forgotten_.contains(job))
      fail(fmt::format("job {} was acknowledged and is gone", job.value));
}

void Ledger::check_same(const State& live) {
  if (pending_.empty() && wire::hash_of(live) != wire::hash_of(state_))
    fail("the live state differs from what the log says");
}

void Ledger::check_components(const State& live) {
  live.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (!job.is_later_component()) return;
    const Job* first = live.find(job.het_job);
    if (!first || first->het_job != job.het_job) return;
    bool half = first->state == JobState::Running && job.state == JobState::Pending;
    if (half) fail(fmt::format("job {} waits while its first component runs", display_id(job)));
  });
}

void Ledger::acknowledged(JobId job, const std::string& dependency) {
  acknowledged_.emplace(job, dependency);
  if (!state_.find(job) && !forgotten_.contains(job))
    fail(fmt::format("job {} was acknowledged before it was durable", job.value));
}

void Ledger::fold(const Event& event) {
  if (trace_) say(event.at, "event " + wire::to_json(event));
  if (const auto* released = std::get_if<JobNodeReleased>(&event.body)) check_release(*released);
  if (const auto* forgotten = std::get_if<JobForgotten>(&event.body))
    check_forgotten(*forgotten, event.at);
  if (failed()) return;
  apply(state_, event);
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    if (submitted->array) array_limits_[submitted->job] = submitted->array->max_running;
  } else if (const auto* updated = std::get_if<JobUpdated>(&event.body)) {
    const Job& job = *state_.find(updated->job);
    if (job.array) array_limits_[job.id] = updated->array_max_running;
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    started_.insert(state_.find(started->job)->sluid);
    check_start(*started);
  } else if (const auto* finished = std::get_if<JobFinished>(&event.body)) {
    Fate& fate = fates_[finished->job];
    if (!finished->requeue) {
      fate.ended = true;
      (finished->state == JobState::Completed ? fate.completed : fate.failed) = true;
    }
  }
}

void Ledger::check_forgotten(const JobForgotten& event, Instant at) {
  const Job* job = state_.find(event.job);
  forgotten_.insert(event.job);
  if (!job || !is_terminal(job->state) || job->holds_resources())
    fail(fmt::format("job {} was forgotten before its end", event.job.value));
  else if (at < job->end + config_.min_job_age)
    fail(fmt::format("job {} was forgotten before MinJobAge", event.job.value));
}

void Ledger::check_release(const JobNodeReleased& event) {
  const Job* job = state_.find(event.job);
  const Node* node = state_.find(event.node);
  if (!job || !node || node->condition == NodeCondition::Down) return;
  for (const auto& [process, id] : alive_)
    if (process.sluid == job->sluid && process.node == node->spec->name)
      fail(fmt::format("node {} was released by job {} while its step {} is alive there",
                       process.node, id.value, process.step.value));
}

void Ledger::check_start(const JobStarted& event) {
  const Job& job = *state_.find(event.job);
  Fate& fate = fates_[event.job];
  if (doomed_.contains(job.id) || doomed_tasks_.contains({job.array_job, job.array_task}))
    fail(fmt::format("job {} was started after its cancellation was acknowledged", job.id.value));
  if (held_.contains(job.id))
    fail(fmt::format("job {} was started although a hold was acknowledged", job.id.value));
  if (job.eligible > std::max(job.start, state_.time))
    fail(fmt::format("job {} was started before its begin time", job.id.value));
  auto asked = acknowledged_.find(job.id);
  if (!fate.started && asked != acknowledged_.end() && !asked->second.empty())
    if (auto dependency = Dependency::parse(asked->second)) check_dependency(job.id, *dependency);
  fate.started = true;
  check_allocation(job, state_.find(event.partition));
  if (job.array_job) check_array_limit(job);
}

void Ledger::check_dependency(JobId job, const Dependency& dependency) {
  bool any = false, all = true;
  for (const Dependency::Term& term : dependency.terms) {
    bool kept = true;
    const Fate fate = term.job ? fates_[JobId{term.job}] : Fate{};
    if (term.kind == Dependency::Kind::AfterOk) kept = fate.completed;
    if (term.kind == Dependency::Kind::AfterNotOk) kept = fate.failed;
    if (term.kind == Dependency::Kind::AfterAny) kept = fate.ended;
    any = any || kept;
    all = all && kept;
  }
  if (dependency.any ? !any : !all)
    fail(fmt::format("job {} was started although it waits for {}", job.value, dependency.str()));
}

void Ledger::check_allocation(const Job& job, const Partition* partition) {
  const JobSpec& spec = *job.spec;
  auto wrong = [&](std::string_view what) {
    fail(fmt::format("job {} was started {}", job.id.value, what));
  };
  std::size_t nodes = job.allocation->nodes.size();
  if (!partition) return wrong("in no partition");
  std::vector<std::string_view> named = split_words(spec.partitions, ',');
  if (std::ranges::find(named, partition->spec->name) == named.end())
    wrong("in a partition that it did not ask for");
  if (partition->spec->state == PartitionState::Down ||
      partition->spec->state == PartitionState::Inactive)
    wrong("in a partition that is closed");
  if (spec.time_limit_s > partition->spec->max_time_s) wrong("beyond the partition's MaxTime");
  if (nodes < spec.min_nodes || (spec.max_nodes && nodes > spec.max_nodes))
    wrong(fmt::format("on {} nodes", nodes));
  if (nodes > partition->spec->max_nodes) wrong("on more nodes than the partition's MaxNodes");
  if (job.allocation->cpus() < spec.tasks * spec.cpus_per_task && !spec.overcommit)
    wrong("with too few cpus");
  for (const NodeShare& share : job.allocation->nodes)
    if (std::ranges::find(*partition->nodes, share.node) == partition->nodes->end())
      wrong("on a node outside of its partition");
}

void Ledger::check_array_limit(const Job& job) {
  std::uint32_t limit = array_limits_[job.array_job];
  if (limit == 0) return;
  std::uint32_t running = 0;
  state_.jobs.for_each([&](std::uint64_t, const Job& other) {
    running += other.array_job == job.array_job && other.state == JobState::Running;
  });
  if (running > limit)
    fail(fmt::format("{} elements of array {} run, its limit is {}", running, job.array_job.value,
                     limit));
}

// Everything that jobs hold, counted again from the jobs.
void Ledger::check_resources() {
  if (failed()) return;
  struct Sum {
    std::uint32_t cpus = 0, jobs = 0, exclusive = 0, completing = 0;
    std::uint64_t memory_mb = 0;
    std::map<std::uint32_t, std::uint32_t> rows;  // cpus; 0: not shared
  };
  std::map<NodeId, Sum> sums;
  state_.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (!job.holds_resources()) return;
    for (const NodeShare& share : job.allocation->nodes) {
      bool left = std::ranges::find(job.nodes_left, share.node) != job.nodes_left.end();
      if (job.completing() && !left) continue;
      Sum& sum = sums[share.node];
      sum.cpus += share.cpus;
      sum.memory_mb += share.memory_mb;
      sum.jobs += 1;
      sum.exclusive += job.spec->exclusive && !share.row;
      sum.rows[share.row] += share.cpus;
      sum.completing += left;
    }
    // What it has given up and is not clean yet.
    for (const NodeShare& share : job.leaving->nodes) {
      Sum& sum = sums[share.node];
      sum.cpus += share.cpus;
      sum.memory_mb += share.memory_mb;
      sum.jobs += 1;
      sum.exclusive += job.spec->exclusive && !share.row;
      sum.rows[share.row] += share.cpus;
      sum.completing += 1;
    }
  });
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    const Sum& sum = sums[node.id];
    const std::string& name = node.spec->name;
    for (const auto& [row, cpus] : sum.rows)
      if (cpus > node.spec->cpus || (sum.rows.contains(0) && sum.rows.size() > 1))
        fail(fmt::format("{} cpus of node {} are given away in row {}, it has {}", cpus, name, row,
                         node.spec->cpus));
    if (config_.memory_is_consumable && sum.memory_mb > node.spec->memory_mb)
      fail(fmt::format("{} MB of node {} are given away, it has {}", sum.memory_mb, name,
                       node.spec->memory_mb));
    if (sum.exclusive > 0 && sum.jobs > 1)
      fail(fmt::format("node {} was given for itself and is shared", name));
    if (sum.cpus != node.cpus_used || sum.jobs != node.jobs || sum.exclusive != node.exclusive ||
        sum.memory_mb != node.memory_used_mb || sum.completing != node.completing)
      fail(fmt::format("the sums of node {} are not those of its jobs", name));
    check_gres(node);
  });
}

void Ledger::check_gres(const Node& node) {
  if (!node.gres) return;
  GresKinds kinds = gres_of(*node.spec, *node.registration);
  state_.jobs.for_each([&](std::uint64_t, const Job& job) {
    bool left = std::ranges::find(job.nodes_left, node.id) != job.nodes_left.end();
    if (!job.holds_resources() || (job.completing() && !left)) return;
    for (const Allocation* held : {&*job.allocation, &*job.leaving})
      for (const GresShare& share : gres_on(*held->gres, node.id)) hold_gres(kinds, share);
  });
  if (kinds != *node.gres)
    fail(fmt::format("the generic resources of node {} are not those of its jobs: {}",
                     node.spec->name, gres_used_text(node)));
  std::set<std::uint32_t> whole;
  for (const GresKind& kind : kinds) {
    bool over = kind.used > kind.count;
    for (std::size_t i = 0; i < kind.devices.size(); ++i) {
      over = over || kind.devices[i].used > kind.devices[i].room;
      std::uint32_t number = kind.first + static_cast<std::uint32_t>(i);
      if (kind.devices[i].used == 0) continue;
      if (!kind.shared) whole.insert(number);
      over = over || (kind.shared && whole.contains(number));
    }
    if (over)
      fail(fmt::format("{} of node {} is given away twice: {}", kind.name, node.spec->name,
                       gres_used_text(node)));
  }
}

void Ledger::process_started(const std::string& node, JobId job, Sluid sluid, StepId step) {
  Process process{node, sluid, step};
  bool twice = !ever_.insert(process).second;
  if (step == kBatchStep && !batches_.insert(sluid).second) twice = true;
  if (twice)
    fail(fmt::format("an attempt at job {} was started a second time, on {}", job.value, node));
  if (!started_.contains(sluid))
    fail(fmt::format("job {} runs on {}, but its start is not durable", job.value, node));
  alive_.emplace(process, job);
}

void Ledger::process_ended(const std::string& node, Sluid sluid, StepId step) {
  alive_.erase({node, sluid, step});
}

bool Ledger::wanted(const Process& process, JobId id) const {
  const Job* job = state_.find(id);
  const Node* node = state_.find_node(process.node);
  if (!job || !node || job->sluid != process.sluid || !job->holds_resources()) return false;
  return !job->completing() ||
         std::ranges::find(job->nodes_left, node->id) != job->nodes_left.end();
}

}  // namespace ym::sim
