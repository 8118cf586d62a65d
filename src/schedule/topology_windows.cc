// SPDX-License-Identifier: Apache-2.0
#include "schedule/topology_windows.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "model/state.h"

namespace ym {
namespace {

constexpr std::uint32_t kNone = NodeGroups::kNone;

// The node of that name is in the leaf, unless it is in another already; none if it is not known.
NodeId put(NodeGroups& out, std::string_view name, std::uint32_t leaf, const State& state) {
  const Node* node = state.find_node(name);
  if (!node) return {};
  if (node->id.value >= out.leaf.size()) out.leaf.resize(node->id.value + 1, kNone);
  std::uint32_t& at = out.leaf[node->id.value];
  if (at != kNone && at != leaf) return {};
  at = leaf;
  return node->id;
}

// The nodes of a box with its corner there; empty if one of them is not known.
std::vector<NodeId> box_at(const std::vector<NodeId>& cells, const TorusCell& torus,
                           const TorusCell& corner, const TorusCell& box) {
  std::vector<NodeId> nodes;
  nodes.reserve(box.volume());
  for (std::uint32_t z = 0; z < box.z; ++z)
    for (std::uint32_t y = 0; y < box.y; ++y)
      for (std::uint32_t x = 0; x < box.x; ++x) {
        std::uint64_t at =
            (std::uint64_t{(corner.z + z) % torus.z} * torus.y + (corner.y + y) % torus.y) *
                torus.x +
            (corner.x + x) % torus.x;
        if (!cells[at]) return {};
        nodes.push_back(cells[at]);
      }
  std::ranges::sort(nodes);
  return nodes;
}

void add_boxes(NodeGroups& out, const TopologyTorus& torus, const std::vector<NodeId>& cells,
               std::uint32_t leaf, std::set<std::vector<NodeId>>& known) {
  for (const TorusPlacement& one : torus.placements) {
    const TorusCell& apart = one.spacing;
    for (std::uint32_t z = 0; z < torus.size.z; z += apart.z)
      for (std::uint32_t y = 0; y < torus.size.y; y += apart.y)
        for (std::uint32_t x = 0; x < torus.size.x; x += apart.x) {
          TorusCell corner{one.seed.x % torus.size.x + x, one.seed.y % torus.size.y + y,
                           one.seed.z % torus.size.z + z};
          std::vector<NodeId> nodes = box_at(cells, torus.size, corner, one.size);
          if (!nodes.empty() && known.insert(nodes).second)
            out.boxes.push_back({.torus = leaf, .nodes = std::move(nodes)});
        }
  }
}

using Places = std::vector<std::uint32_t>;  // of a window's nodes, among the candidates

class Search {
 public:
  Search(const NodeGroups& groups, const std::vector<Candidate>& sorted, const NodesWanted& wanted,
         const GroupWish& wish)
      : groups_(groups), sorted_(sorted), wanted_(wanted), wish_(wish) {
    for (std::uint32_t i = 0; i < sorted.size(); ++i) {
      std::uint64_t id = sorted[i].free.node.value;
      if (id >= place_.size()) place_.resize(id + 1, kNone);
      place_[id] = i;
    }
  }

  Places run() {
    std::uint32_t segment = wish_.segment;
    if (segment == 0 || segment >= wanted_.nodes_min) {
      auto found = best(wanted_, wish_.required);
      return found ? std::move(*found) : Places();
    }
    std::uint32_t missing = (wanted_.nodes_min + segment - 1) / segment;
    Places all;
    std::set<std::uint32_t> leaves;
    for (; missing > 0; --missing) {
      auto found = best({.nodes_min = segment, .nodes_max = segment, .tasks = segment}, {});
      if (!found) return {};
      leaves.insert(groups_.leaf_of(sorted_[found->front()].free.node));
      for (std::uint32_t place : *found) place_[sorted_[place].free.node.value] = kNone;
      all.insert(all.end(), found->begin(), found->end());
    }
    Sum sum;
    for (std::uint32_t place : all) sum.add(sorted_[place]);
    bool few_enough = wish_.leaves_max == 0 || leaves.size() <= wish_.leaves_max;
    bool has_required = std::ranges::all_of(wish_.required, [&](NodeId node) {
      return std::ranges::any_of(
          all, [&](std::uint32_t place) { return sorted_[place].free.node == node; });
    });
    bool fine =
        few_enough && has_required && sum.suffices(wanted_) && all.size() <= wanted_.nodes_max;
    return fine ? all : Places();
  }

 private:
  std::optional<Places> best(const NodesWanted& wanted, const std::vector<NodeId>& required) {
    return groups_.kind == TopologyKind::Ring ? best_arc(wanted, required)
                                              : best_box(wanted, required);
  }
  std::uint32_t place_of(NodeId node) const {
    return node && node.value < place_.size() ? place_[node.value] : kNone;
  }
  bool is_free(NodeId node) const { return place_of(node) != kNone; }

  // The better is the smaller: nodes, weight, what it breaks, then the first in the file.
  using Rank = std::tuple<std::size_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

  std::optional<Places> best_arc(const NodesWanted& wanted, const std::vector<NodeId>& required) {
    std::optional<Places> best;
    Rank rank;
    for (std::uint32_t ring = 0; ring < groups_.members.size(); ++ring)
      for_each_run(groups_.members[ring], [&](std::size_t begin, std::size_t length, bool round) {
        try_run(ring, begin, length, round, wanted, [&](std::size_t from, Places arc) {
          if (!has_all(arc, required)) return;
          Rank its{arc.size(), weight_of(arc), length, from - begin, ring};
          if (best && rank <= its) return;
          rank = its;
          best = std::move(arc);
        });
      });
    return best;
  }

  // Rows of free neighbours. In a ring that is free all round, one that begins anywhere.
  template <class Visit>
  void for_each_run(const std::vector<NodeId>& ring, Visit&& visit) const {
    std::size_t size = ring.size(), taken = 0;
    while (taken < size && is_free(ring[taken])) ++taken;
    if (taken == size) {
      if (size > 0) visit(0, size, true);
      return;
    }
    for (std::size_t i = 1, length = 0; i <= size; ++i) {
      if (is_free(ring[(taken + i) % size]))
        ++length;
      else if (length > 0)
        visit(taken + i - length, std::exchange(length, 0), false);
    }
  }

  // The shortest arcs of the run that suffice, one for each place where one may end.
  template <class Visit>
  void try_run(std::uint32_t ring, std::size_t begin, std::size_t length, bool round,
               const NodesWanted& wanted, Visit&& visit) const {
    const std::vector<NodeId>& nodes = groups_.members[ring];
    auto at = [&](std::size_t i) { return place_of(nodes[i % nodes.size()]); };
    std::size_t first = begin, end = begin + length + (round ? length - 1 : 0);
    Sum sum;
    for (std::size_t last = begin; last < end; ++last) {
      sum.add(sorted_[at(last)]);
      auto shorter = [&] {
        Sum rest = sum;
        rest.remove(sorted_[at(first)]);
        return rest;
      };
      while (last - first + 1 > length ||
             (last - first + 1 > wanted.nodes_min && shorter().suffices(wanted)))
        sum.remove(sorted_[at(first++)]);
      std::size_t count = last - first + 1;
      if (count < wanted.nodes_min || count > wanted.nodes_max || !sum.suffices(wanted)) continue;
      Places arc;
      for (std::size_t i = first; i <= last; ++i) arc.push_back(at(i));
      visit(first, std::move(arc));
    }
  }

  std::optional<Places> best_box(const NodesWanted& wanted, const std::vector<NodeId>& required) {
    std::optional<Places> best;
    Rank rank;
    std::vector<bool> whole = whole_boxes();
    auto boxes_of = whole_boxes_by_node(whole);
    for (std::size_t i = 0; i < groups_.boxes.size(); ++i) {
      const NodeGroups::Box& box = groups_.boxes[i];
      if (box.nodes.size() < wanted.nodes_min || box.nodes.size() > wanted.nodes_max) continue;
      if (best && box.nodes.size() > best->size()) break;  // the smallest come first
      if (!whole[i]) continue;
      Places places;
      Sum sum;
      for (NodeId node : box.nodes) {
        places.push_back(place_of(node));
        sum.add(sorted_[places.back()]);
      }
      if (!sum.suffices(wanted) || !has_all(places, required)) continue;
      std::set<std::size_t> broken;
      for (NodeId node : box.nodes)
        for (std::size_t other : boxes_of[node.value])
          if (groups_.boxes[other].nodes.size() > box.nodes.size()) broken.insert(other);
      Rank its{places.size(), weight_of(places), broken.size(), ~taken_of(box.torus), i};
      if (best && rank <= its) continue;
      rank = its;
      best = std::move(places);
    }
    return best;
  }

  std::vector<bool> whole_boxes() const {
    std::vector<bool> whole;
    for (const NodeGroups::Box& box : groups_.boxes)
      whole.push_back(std::ranges::all_of(box.nodes, [&](NodeId node) { return is_free(node); }));
    return whole;
  }
  std::map<std::uint64_t, std::vector<std::size_t>> whole_boxes_by_node(
      const std::vector<bool>& whole) const {
    std::map<std::uint64_t, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < groups_.boxes.size(); ++i)
      if (whole[i])
        for (NodeId node : groups_.boxes[i].nodes) out[node.value].push_back(i);
    return out;
  }
  // Nodes of the torus that are not free: the fuller one is filled first.
  std::uint64_t taken_of(std::uint32_t torus) const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(groups_.members[torus], [&](NodeId node) { return !is_free(node); }));
  }

  std::uint64_t weight_of(const Places& places) const {
    std::uint64_t weight = 0;
    for (std::uint32_t place : places) weight += sorted_[place].free.weight;
    return weight;
  }
  bool has_all(const Places& places, const std::vector<NodeId>& required) const {
    return std::ranges::all_of(required, [&](NodeId node) {
      std::uint32_t place = place_of(node);
      return place != kNone && std::ranges::find(places, place) != places.end();
    });
  }

  const NodeGroups& groups_;
  const std::vector<Candidate>& sorted_;
  const NodesWanted& wanted_;
  const GroupWish& wish_;
  std::vector<std::uint32_t> place_;  // of each node by its id; kNone: it is no candidate any more
};

}  // namespace

void make_rings(NodeGroups& out, const Topology& topology, const State& state) {
  for (const TopologyRing& ring : topology.rings) {
    auto leaf = static_cast<std::uint32_t>(out.groups.size());
    out.groups.push_back({.name = ring.name});
    std::vector<NodeId>& members = out.members.emplace_back();
    ring.nodes.for_each(
        [&](std::string_view name) { members.push_back(put(out, name, leaf, state)); });
  }
}

void make_tori(NodeGroups& out, const Topology& topology, const State& state) {
  for (const TopologyTorus& torus : topology.tori) {
    auto leaf = static_cast<std::uint32_t>(out.groups.size());
    out.groups.push_back({.name = torus.name});
    std::vector<NodeId> cells;
    for (const std::string& name : torus.nodes)
      cells.push_back(name.empty() ? NodeId{} : put(out, name, leaf, state));
    std::set<std::vector<NodeId>> known;
    add_boxes(out, torus, cells, leaf, known);
    std::erase_if(cells, [](NodeId node) { return !node; });
    out.members.push_back(std::move(cells));
  }
  std::ranges::sort(out.boxes, [](const NodeGroups::Box& a, const NodeGroups::Box& b) {
    if (a.nodes.size() != b.nodes.size()) return a.nodes.size() < b.nodes.size();
    return a.torus != b.torus ? a.torus < b.torus : a.nodes < b.nodes;
  });
}

std::vector<std::uint32_t> arrange_in_windows(const NodeGroups& groups,
                                              const std::vector<Candidate>& sorted,
                                              const NodesWanted& wanted, const GroupWish& wish) {
  return Search(groups, sorted, wanted, wish).run();
}

std::uint32_t boxes_broken(const NodeGroups& groups, const std::vector<NodeId>& chosen,
                           const std::function<bool(NodeId)>& is_free) {
  std::uint32_t broken = 0;
  for (const NodeGroups::Box& box : groups.boxes) {
    if (box.nodes.size() <= chosen.size()) continue;
    bool touched = std::ranges::any_of(
        chosen, [&](NodeId node) { return std::ranges::binary_search(box.nodes, node); });
    broken += touched && std::ranges::all_of(box.nodes, is_free);
  }
  return broken;
}

}  // namespace ym
