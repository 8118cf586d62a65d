// SPDX-License-Identifier: Apache-2.0
#include "schedule/grounds.h"

#include <algorithm>
#include <numeric>

namespace ym {
namespace {

constexpr std::uint32_t kNoGround = static_cast<std::uint32_t>(-1);

// Pools that were found to belong together have the same root: the first of them.
class Unions {
 public:
  explicit Unions(std::size_t pools) : parent_(pools) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::uint32_t root(std::uint32_t pool) {
    while (parent_[pool] != pool) pool = parent_[pool] = parent_[parent_[pool]];
    return pool;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

Grounds Grounds::of(const Book& book, bool takes_turns) {
  const std::vector<Pool>& pools = book.pools();
  Unions unions(pools.size());
  for (std::uint32_t i = 0; i < pools.size(); ++i)
    for (NodeId node : pools[i].nodes)
      if (const auto& in = book.track(node).in; !in.empty()) unions.join(i, in.front().first);
  Grounds grounds;
  grounds.of_pool.assign(pools.size(), kNoGround);
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    std::uint32_t root = unions.root(i);
    if (root == i) {
      grounds.of_pool[i] = static_cast<std::uint32_t>(grounds.all.size());
      grounds.all.push_back({.name = pools[i].partition});
    }
    grounds.of_pool[i] = grounds.of_pool[root];
    Ground& ground = grounds.all[grounds.of_pool[i]];
    if (!takes_turns) ground.rows = std::max(ground.rows, pools[i].sharers);
    for (NodeId node : pools[i].nodes) {
      const Track& track = book.track(node);
      if (!track.usable || track.in.front().first != i) continue;  // counted once
      if (ground.nodes++ == 0) ground.shape = track.free.shape;
      ground.cpus += track.free.cpus_total;
      ground.memory_mb += track.spec->memory_for_jobs();
    }
  }
  return grounds;
}

}  // namespace ym
