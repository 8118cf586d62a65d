// SPDX-License-Identifier: Apache-2.0
// The part of the profile that asks: is it alone in its blocks? --exclusive=topo, ExclusiveTopo.
//
// Who has his blocks for himself has them by the network of his partition; and whoever comes later
// keeps away from him by the network of his own, which is what the core looks at again
// (blocks_admit).
#include <algorithm>

#include "schedule/profile.h"

namespace ym {
namespace {

using Shares = std::vector<NodeShare>;

const NodeGroups* groups_of(const State& state, PartitionId id, const Home& home) {
  const Partition* partition = state.find(id);
  if (!partition) return nullptr;
  auto at = home.rules.topologies->find(partition->spec->topology);
  return at == home.rules.topologies->end() ? nullptr : &*at->second;
}

}  // namespace

// Calls visit(JobId, PartitionId, const Shares&) for everybody who is alone at that time; this
// pass's own have no id and are in the partition of nobody.
template <class Visit>
void Profile::for_each_alone(const Calendar::Stay& stay, Visit&& visit) const {
  for (JobId id : book_.alone()) {
    const Book::Running& running = book_.running().at(id);
    if (std::max(running.end, now_ + kAnyMoment) > stay.from)
      visit(id, state_.jobs.at(id.value).partition, running.allocation->nodes);
  }
  for (const auto& [end, shares] : alone_taken_)
    if (end > stay.from) visit(JobId(), PartitionId(), shares);
  for (const auto& [id, one] : alone_promised_)
    if (one.start < stay.to && one.end > stay.from)
      visit(JobId(), one.partition, one.allocation.nodes);
}

void Profile::clip_blocks(std::vector<Free>& candidates, const JobSpec& spec, const Home& home,
                          const Calendar::Stay& stay, const std::set<JobId>& gone,
                          const std::function<bool(NodeId)>& is_idle) const {
  const NodeGroups& own = *home.rules.groups;
  std::set<NodeId> kept;
  if (anybody_alone())
    for_each_alone(stay, [&](JobId id, PartitionId partition, const Shares& shares) {
      if (id && gone.contains(id)) return;
      const NodeGroups* theirs = groups_of(state_, partition, home);
      for (const NodeGroups* groups : {&own, theirs})
        if (groups)
          for (NodeId node : blocks_around(*groups, shares)) kept.insert(node);
    });
  std::map<std::uint32_t, bool> idle;  // leaves of his own network
  bool alone = wants_blocks_alone(spec, home.rules);
  auto is_kept = [&](const Free& free) {
    if (kept.contains(free.node)) return true;
    std::uint32_t leaf = own.leaf_of(free.node);
    if (!alone || leaf == NodeGroups::kNone) return false;
    auto [at, fresh] = idle.try_emplace(leaf, true);
    if (fresh)
      at->second = std::ranges::all_of(own.members[leaf],
                                       [&](NodeId node) { return !node || is_idle(node); });
    return !at->second;
  };
  std::erase_if(candidates, is_kept);
}

void Profile::clip_blocks(std::vector<Free>& candidates, const JobSpec& spec, const Home& home,
                          const Calendar::Stay& stay) const {
  if (!anybody_alone() && !wants_blocks_alone(spec, home.rules)) return;
  clip_blocks(candidates, spec, home, stay, {}, [&](NodeId node) {
    return !book_.knows(node) || during(book_.track(node), stay.from, stay.to, false).idle;
  });
}

// When blocks are given back, besides the times at which the nodes in question are.
std::vector<Instant> Profile::block_turns(const JobSpec& spec, const Home& home) const {
  std::vector<Instant> turns;
  for_each_alone({.from = now_, .to = kNever}, [&](JobId id, PartitionId, const Shares&) {
    if (id) turns.push_back(std::max(book_.running().at(id).end, now_ + kAnyMoment));
  });
  for (const auto& [end, shares] : alone_taken_) turns.push_back(end);
  for (const auto& [id, one] : alone_promised_) turns.push_back(one.end);
  if (!wants_blocks_alone(spec, home.rules) || !home.rules.groups) return turns;
  // Neighbours that are not in his own partition.
  for (const std::vector<NodeId>& members : home.rules.groups->members)
    for (NodeId node : members)
      if (node && book_.knows(node))
        for_each_holding(book_.track(node), [&](const Holding&, Instant at) {
          turns.push_back(at);
          return true;
        });
  std::ranges::sort(turns);
  turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
  return turns;
}

}  // namespace ym
