// SPDX-License-Identifier: Apache-2.0
// What readers see: the last durable state and what the planner found out about it. Replaced as a
// whole; a reader keeps what it got for as long as it needs, and nobody waits for it.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "model/config.h"
#include "model/state.h"
#include "schedule/plan.h"

namespace ym {

// What nodes said last about their load; not durable.
struct NodeLoad {
  std::uint32_t cpu_load = 0;
  std::uint64_t free_memory_mb = 0;
};

struct View {
  Snapshot state;
  Ref<Verdicts> verdicts;
  std::shared_ptr<const ClusterConfig> config;
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
  void set_verdicts(Ref<Verdicts> verdicts) {
    std::lock_guard lock(mutex_);
    view_.verdicts = std::move(verdicts);
  }
  void set_config(std::shared_ptr<const ClusterConfig> config) {
    std::lock_guard lock(mutex_);
    view_.config = std::move(config);
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

 private:
  mutable std::mutex mutex_;
  View view_;                         // guarded by mutex_
  std::map<NodeId, NodeLoad> loads_;  // guarded by mutex_
};

}  // namespace ym
