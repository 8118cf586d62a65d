// SPDX-License-Identifier: Apache-2.0
// What readers see: the last durable state and what the planner found out about it. Replaced as a
// whole; a reader keeps what it got for as long as it needs, and nobody waits for it.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/config.h"
#include "model/node_messages.h"
#include "model/state.h"
#include "schedule/plan.h"
#include "schedule/policy.h"

namespace ym {

// What nodes said last about their load; not durable.
struct NodeLoad {
  std::uint32_t cpu_load = 0;
  std::uint64_t free_memory_mb = 0;
};

// Rounds of the planner, and what they took.
struct PlanTimes {
  std::uint64_t count = 0, last_us = 0, max_us = 0, total_us = 0;
  std::uint64_t full = 0, full_last_us = 0, full_max_us = 0,
                full_total_us = 0;  // of the whole queue
  std::uint64_t depth_last = 0, depth_total = 0, full_depth_last = 0, full_depth_total = 0;
  PlanTally tally, full_tally, full_last;  // sums of all and of full ones; the last full one
  Instant full_at;
  std::uint64_t queue_total = 0;  // jobs that waited, summed up over full ones
  std::array<std::uint64_t, kPlanExits> quick_exits{}, full_exits{};
};

// Not reset: since slurmctld started.
struct PlanStarts {
  std::uint64_t full = 0, components = 0;  // that passes of the whole queue found
};

struct View {
  Snapshot state;
  Ref<Verdicts> verdicts;
  std::shared_ptr<const ClusterConfig> config;
  // What the planner goes by.
  PlacementRules rules;
  const Policy* policy = &default_policy();
};

class Published {
 public:
  View view() const {
    std::lock_guard lock(mutex_);
    return view_;
  }
  std::shared_ptr<const ClusterConfig> config() const {
    std::lock_guard lock(mutex_);
    return view_.config;
  }
  void set_state(const Snapshot& state) {
    Snapshot copy = state, old;
    std::lock_guard lock(mutex_);
    old = std::exchange(view_.state, std::move(copy));  // `old` is freed outside the lock
  }
  void set_method(const PlacementRules& rules, const Policy& policy) {
    std::lock_guard lock(mutex_);
    view_.rules = rules;
    view_.policy = &policy;
  }
  void set_verdicts(Ref<Verdicts> verdicts) {
    std::lock_guard lock(mutex_);
    view_.verdicts = std::move(verdicts);
  }
  void note_plan(std::chrono::microseconds took, const PlanTally& tally, bool quick, Instant at) {
    auto us = static_cast<std::uint64_t>(took.count());
    auto exit = static_cast<std::size_t>(tally.exit);
    std::lock_guard lock(mutex_);
    ++plans_.count;
    plans_.last_us = us;
    plans_.max_us = std::max(plans_.max_us, us);
    plans_.total_us += us;
    plans_.depth_last = tally.looked_at;
    plans_.depth_total += tally.looked_at;
    plans_.tally.add(tally);
    ++(quick ? plans_.quick_exits : plans_.full_exits)[exit];
    if (quick) return;
    ++plans_.full;
    plans_.full_at = at;
    plans_.full_last = tally;
    plans_.full_tally.add(tally);
    plans_.queue_total += tally.waiting;
    starts_.full += tally.started;
    starts_.components += tally.components;
    plans_.full_last_us = us;
    plans_.full_max_us = std::max(plans_.full_max_us, us);
    plans_.full_total_us += us;
    plans_.full_depth_last = tally.looked_at;
    plans_.full_depth_total += tally.looked_at;
  }
  PlanTimes plans() const {
    std::lock_guard lock(mutex_);
    return plans_;
  }
  PlanStarts starts() const {
    std::lock_guard lock(mutex_);
    return starts_;
  }
  void reset_plans() {
    std::lock_guard lock(mutex_);
    plans_ = {};
  }
  void set_config(std::shared_ptr<const ClusterConfig> config, Instant now) {
    std::lock_guard lock(mutex_);
    view_.config = std::move(config);
    configured_ = now;
  }
  Instant configured() const {
    std::lock_guard lock(mutex_);
    return configured_;
  }
  NodeLoad load_of(NodeId node) const {
    std::lock_guard lock(mutex_);
    auto at = loads_.find(node);
    return at == loads_.end() ? NodeLoad{} : at->second;
  }
  void set_load(NodeId node, NodeLoad load) {
    std::lock_guard lock(mutex_);
    loads_[node] = load;
  }

  // Which CPUs nodes have given to jobs: as they said, until the job is forgotten.
  void set_cpu_ids(NodeId node, const std::vector<AttemptReport>& attempts) {
    std::lock_guard lock(mutex_);
    for (const AttemptReport& attempt : attempts) {
      if (attempt.cpu_ids.empty()) continue;
      CpuIds& ids = cpu_ids_[attempt.job];
      if (ids.sluid != attempt.sluid) ids = {.sluid = attempt.sluid, .nodes = {}};
      ids.nodes[node] = attempt.cpu_ids;
    }
  }
  // For each node of the allocation; empty if no node has said anything.
  std::vector<std::string> cpu_ids_of(const Job& job) const {
    std::vector<std::string> out;
    std::lock_guard lock(mutex_);
    auto known = cpu_ids_.find(job.id);
    if (known == cpu_ids_.end() || known->second.sluid != job.sluid) return out;
    for (const NodeShare& share : job.allocation->nodes) {
      auto at = known->second.nodes.find(share.node);
      out.push_back(at == known->second.nodes.end() ? std::string() : at->second);
    }
    return out;
  }
  void forget_cpu_ids(JobId job) {
    std::lock_guard lock(mutex_);
    cpu_ids_.erase(job);
  }

 private:
  struct CpuIds {
    Sluid sluid;
    std::map<NodeId, std::string> nodes;
  };
  mutable std::mutex mutex_;
  View view_;                         // guarded by mutex_
  Instant configured_;                // guarded by mutex_
  PlanTimes plans_;                   // guarded by mutex_
  PlanStarts starts_;                 // guarded by mutex_
  std::map<NodeId, NodeLoad> loads_;  // guarded by mutex_
  std::map<JobId, CpuIds> cpu_ids_;   // guarded by mutex_
};

}  // namespace ym
