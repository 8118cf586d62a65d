// SPDX-License-Identifier: Apache-2.0
#include "schedule/topology.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "model/state.h"
#include "schedule/choose.h"
#include "schedule/topology_windows.h"

namespace ym {
namespace {

constexpr std::uint32_t kNone = NodeGroups::kNone;

void put_behind(NodeGroups& out, const Hostlist& names, std::uint32_t leaf, const State& state) {
  names.for_each([&](std::string_view name) {
    const Node* node = state.find_node(name);
    if (!node) return;
    if (node->id.value >= out.leaf.size()) out.leaf.resize(node->id.value + 1, kNone);
    std::uint32_t& at = out.leaf[node->id.value];
    if (at == kNone) at = leaf;  // behind two switches: the first counts
  });
}

// Of trees and blocks, by the leaves that the nodes have in the end.
void list_members(NodeGroups& out) {
  out.members.resize(out.groups.size());
  for (std::uint32_t id = 0; id < out.leaf.size(); ++id)
    if (out.leaf[id] != kNone) out.members[out.leaf[id]].push_back(NodeId{id});
}

void count_nodes(NodeGroups& out) {
  for (std::uint32_t leaf : out.leaf)
    if (leaf != kNone) ++out.groups[leaf].nodes;
  for (const NodeGroups::Group& group : out.groups)  // the lowest come first
    if (group.parent != kNone) out.groups[group.parent].nodes += group.nodes;
}

void make_tree(NodeGroups& out, const Topology& topology, const State& state) {
  std::map<std::string_view, std::uint32_t> numbers;
  for (const TopologySwitch& one : topology.switches) {
    auto number = static_cast<std::uint32_t>(out.groups.size());
    numbers[one.name] = number;
    out.groups.push_back({.name = one.name, .level = one.level});
    if (one.level == 0) put_behind(out, one.members, number, state);
    one.switches.for_each([&](std::string_view name) {
      auto below = numbers.find(name);
      if (below != numbers.end()) out.groups[below->second].parent = number;
    });
  }
}

// Base blocks, then the blocks of so many of them as each further size says, then all together.
void make_blocks(NodeGroups& out, const Topology& topology, const State& state) {
  for (const TopologyBlock& block : topology.blocks) {
    auto number = static_cast<std::uint32_t>(out.groups.size());
    out.groups.push_back({.name = block.name});
    put_behind(out, block.nodes, number, state);
  }
  std::uint32_t first = 0, count = static_cast<std::uint32_t>(out.groups.size()), level = 0;
  auto aggregate = [&](std::uint32_t together) {
    auto begin = static_cast<std::uint32_t>(out.groups.size());
    ++level;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i % together == 0)
        out.groups.push_back({.name = out.groups[first + i].name, .level = level});
      out.groups[first + i].parent = static_cast<std::uint32_t>(out.groups.size()) - 1;
    }
    first = begin;
    count = static_cast<std::uint32_t>(out.groups.size()) - begin;
  };
  const auto& sizes = topology.block_sizes;
  for (std::size_t i = 1; i < sizes.size() && count > 1; ++i)
    if (sizes[i] / sizes[i - 1] > 1) aggregate(sizes[i] / sizes[i - 1]);
  if (count > 1) aggregate(count);
}

// What is free of one group.
struct Share {
  Sum sum;
  std::uint32_t nodes = 0;
  std::uint32_t roomy = 0;  // of them: those that are less crowded than others
  void add(const Candidate& one) {
    sum.add(one);
    ++nodes;
  }
  void add(const Share& other) {
    sum.tasks += other.sum.tasks;
    sum.gres += other.sum.gres;
    nodes += other.nodes;
    roomy += other.roomy;
  }
  bool suffices(const NodesWanted& wanted) const {
    return nodes >= wanted.nodes_min && sum.suffices(wanted);
  }
};

class Arrangement {
 public:
  Arrangement(const NodeGroups& groups, const std::vector<Candidate>& sorted,
              const NodesWanted& wanted, const GroupWish& wish)
      : groups_(groups), sorted_(sorted), wanted_(wanted), wish_(wish) {
    if (wish.segment > 1)
      wanted_.nodes_min = (wanted.nodes_min + wish.segment - 1) / wish.segment * wish.segment;
  }

  std::vector<std::uint32_t> run() {
    sort_into_leaves();
    std::optional<std::uint32_t> group = lowest_that_suffices();
    if (!group) return {};
    std::vector<std::uint32_t> leaves;
    for (const auto& [leaf, members] : members_)
      if (is_within(leaf, *group)) leaves.push_back(leaf);
    std::uint32_t used = 0;
    while (!done() && !leaves.empty()) {
      auto next = best_of(leaves);
      take_from(*next);
      leaves.erase(next);
      ++used;
    }
    bool few_enough = wish_.leaves_max == 0 || used <= wish_.leaves_max;
    return done() && few_enough ? std::move(chosen_) : std::vector<std::uint32_t>{};
  }

 private:
  void sort_into_leaves() {
    for (std::uint32_t i = 0; i < sorted_.size(); ++i)
      members_[groups_.leaf_of(sorted_[i].free.node)].push_back(i);
    for (const Candidate& one : sorted_) most_users_ = std::max(most_users_, users_of(one.free));
    for (auto& [leaf, members] : members_) {
      if (wish_.segment > 1) members.resize(members.size() / wish_.segment * wish_.segment);
      if (wish_.segment > 0 && wish_.segments_apart)
        members.resize(std::min<std::size_t>(members.size(), wish_.segment));
      Share share;
      for (std::uint32_t i : members) {
        share.add(sorted_[i]);
        share.roomy += users_of(sorted_[i].free) < most_users_;
      }
      of_leaf_[leaf] = share;
      for (std::uint32_t at = leaf; at != kNone; at = groups_.groups[at].parent)
        shares_[at].add(share);
    }
    // Nodes that are behind no switch are beside each other, and beside nobody else.
    if (auto nowhere = of_leaf_.find(kNone); nowhere != of_leaf_.end())
      shares_[kNone] = nowhere->second;
  }

  // Blocks come together for a job that is larger than the largest of them, and for segments, which
  // may be anywhere. Otherwise it waits for one that has room.
  bool may_use(std::uint32_t group) const {
    bool all_blocks = group != kNone && groups_.kind == TopologyKind::Block &&
                      groups_.groups[group].parent == kNone && groups_.groups[group].level > 0;
    if (!all_blocks) return true;
    if (wish_.segment > 0 && !wish_.segments_together) return true;
    std::uint32_t largest = 0;
    for (const NodeGroups::Group& one : groups_.groups)
      if (one.parent != kNone) largest = std::max(largest, one.nodes);
    return wanted_.nodes_min > largest;
  }

  std::optional<std::uint32_t> lowest_that_suffices() const {
    std::optional<std::uint32_t> best;
    auto rank = [&](std::uint32_t group) {
      std::uint32_t level = group == kNone ? 0 : groups_.groups[group].level;
      const Share& share = shares_.at(group);
      return std::tuple(level, crowded_in(share), share.nodes, group);
    };
    for (const auto& [group, share] : shares_)
      if (share.suffices(wanted_) && may_use(group) && (!best || rank(group) < rank(*best)))
        best = group;
    return best;
  }

  // Where CPUs are shared: nodes that it would have there among the most crowded.
  std::uint32_t crowded_in(const Share& share) const {
    return wanted_.nodes_min - std::min(wanted_.nodes_min, share.roomy);
  }

  bool is_within(std::uint32_t leaf, std::uint32_t group) const {
    if (leaf == kNone || group == kNone) return leaf == group;
    while (leaf != group && leaf != kNone) leaf = groups_.groups[leaf].parent;
    return leaf == group;
  }

  bool done() const { return got_.suffices(wanted_) && got_.nodes <= wanted_.nodes_max; }

  bool would_do(const Share& more) const {
    Share sum = got_;
    sum.add(more);
    return sum.suffices(wanted_);
  }

  // The tightest leaf that completes it, else the fullest.
  std::vector<std::uint32_t>::iterator best_of(std::vector<std::uint32_t>& leaves) const {
    auto rank = [&](std::uint32_t leaf) {
      const Share& share = of_leaf_.at(leaf);
      bool last = would_do(share);
      std::uint64_t room = share.sum.tasks;
      return std::tuple(!last, crowded_in(share), last ? share.nodes : ~share.nodes,
                        last ? room : ~room, leaf);
    };
    return std::ranges::min_element(leaves, {}, rank);
  }

  void take_from(std::uint32_t leaf) {
    std::size_t taken = 0;
    for (std::uint32_t i : members_.at(leaf)) {
      bool whole_segments = wish_.segment <= 1 || taken % wish_.segment == 0;
      if (got_.nodes >= wanted_.nodes_max || (got_.suffices(wanted_) && whole_segments)) return;
      chosen_.push_back(i);
      got_.add(sorted_[i]);
      ++taken;
    }
  }

  const NodeGroups& groups_;
  const std::vector<Candidate>& sorted_;
  NodesWanted wanted_;
  GroupWish wish_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;  // of each leaf
  std::map<std::uint32_t, Share> of_leaf_, shares_;              // of leaves, of all groups
  std::vector<std::uint32_t> chosen_;
  std::uint32_t most_users_ = 0;  // of any candidate
  Share got_;
};

}  // namespace

NodeGroups make_groups(const Topology& topology, const State& state) {
  NodeGroups out{.kind = topology.kind};
  if (topology.kind == TopologyKind::Tree) make_tree(out, topology, state);
  if (topology.kind == TopologyKind::Block) make_blocks(out, topology, state);
  if (topology.kind == TopologyKind::Ring) make_rings(out, topology, state);
  if (topology.kind == TopologyKind::Torus) make_tori(out, topology, state);
  if (out.members.empty()) list_members(out);
  count_nodes(out);
  return out;
}

std::vector<std::uint32_t> arrange(const NodeGroups& groups, const std::vector<Candidate>& sorted,
                                   const NodesWanted& wanted, const GroupWish& wish) {
  if (groups.kind == TopologyKind::Ring || groups.kind == TopologyKind::Torus)
    return arrange_in_windows(groups, sorted, wanted, wish);
  return Arrangement(groups, sorted, wanted, wish).run();
}

std::uint32_t fragmentation(const NodeGroups& groups, const std::vector<NodeId>& chosen,
                            const std::function<bool(NodeId)>& is_free) {
  if (groups.kind == TopologyKind::Torus) return boxes_broken(groups, chosen, is_free);
  std::map<std::uint32_t, std::uint32_t> used;  // nodes, by leaf
  for (NodeId node : chosen)
    if (std::uint32_t leaf = groups.leaf_of(node); leaf != kNone) ++used[leaf];
  std::uint32_t largest = 1, broken = 0;
  for (const NodeGroups::Group& one : groups.groups)
    if (one.level == 0) largest = std::max(largest, one.nodes);
  for (const auto& [leaf, nodes] : used) {
    const std::vector<NodeId>& all = groups.members[leaf];
    auto free = [&](NodeId node) { return !node || is_free(node); };
    if (nodes < groups.groups[leaf].nodes && std::ranges::all_of(all, free)) ++broken;
  }
  auto fewest = (static_cast<std::uint32_t>(chosen.size()) + largest - 1) / largest;
  auto leaves = static_cast<std::uint32_t>(used.size());
  return leaves - std::min(leaves, fewest) + broken;
}

std::vector<NodeId> blocks_around(const NodeGroups& groups, const std::vector<NodeShare>& shares) {
  std::set<std::uint32_t> leaves;
  std::vector<NodeId> out;
  for (const NodeShare& share : shares) {
    std::uint32_t leaf = groups.leaf_of(share.node);
    if (leaf == kNone)
      out.push_back(share.node);
    else if (leaves.insert(leaf).second)
      out.insert(out.end(), groups.members[leaf].begin(), groups.members[leaf].end());
  }
  std::erase_if(out, [](NodeId node) { return !node; });
  std::ranges::sort(out);
  return out;
}

}  // namespace ym
