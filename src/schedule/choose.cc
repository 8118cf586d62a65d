// SPDX-License-Identifier: Apache-2.0
#include "schedule/choose.h"

#include <algorithm>
#include <tuple>

#include "notation/array.h"
#include "notation/features.h"
#include "notation/hostlist.h"
#include "schedule/place_gres.h"
#include "schedule/topology.h"

namespace ym {
namespace {

using Candidates = std::vector<Candidate>;

// Of a list of node counts, those that are tried at one time.
constexpr std::size_t kCountsTried = 100;

NodesWanted wanted_of(const JobSpec& spec, const PlacementRules& rules) {
  NodesWanted wanted;
  wanted.nodes_min = std::max(1u, spec.min_nodes);
  if (spec.max_nodes) wanted.nodes_max = std::max(spec.max_nodes, wanted.nodes_min);
  wanted.nodes_max = std::min(wanted.nodes_max, rules.max_nodes);
  wanted.tasks = std::max(spec.tasks, wanted.nodes_min);
  wanted.least_loaded = rules.least_loaded;
  if (const GresRequest* request = gres_request(spec)) wanted.gres = gres_total(*request);
  // Devices of the whole job may be too few for more nodes.
  wanted.most = spec.max_nodes > wanted.nodes_min && wanted.nodes_max > wanted.nodes_min &&
                wanted.gres == 0 && !spec.extras->specials->use_min_nodes;
  return wanted;
}

// Where CPUs are shared: by users, then by how many of its CPUs have fewer. 0 if nobody shares.
std::uint64_t crowding_of(const Free& node) {
  std::uint32_t users = users_of(node);
  if (users == 0) return 0;
  std::uint64_t fewer = std::uint64_t{users - 1} * node.cpus_total;
  fewer -= std::min<std::uint64_t>(fewer, node.cpus_shared);
  return std::uint64_t{users} << 32 | (0xffffffff - std::min<std::uint64_t>(fewer, 0xffffffff));
}

// The least crowded first, then the lightest, among equals the roomiest, then the one with the
// least time to spare.
void sort_by_taste(Candidates& candidates) {
  using Taste = std::tuple<std::uint64_t, std::uint32_t, bool, std::uint64_t, std::uint32_t,
                           std::int64_t, NodeId, std::size_t>;
  std::vector<Taste> tastes;  // candidates are large: they are moved once
  tastes.reserve(candidates.size());
  for (const Candidate& c : candidates)
    tastes.emplace_back(crowding_of(c.free), c.free.weight, c.free.asleep, ~c.gres, ~c.capacity,
                        c.free.slack_ms, c.free.node, tastes.size());
  std::ranges::sort(tastes);
  Candidates sorted;
  sorted.reserve(candidates.size());
  for (const Taste& taste : tastes) sorted.push_back(std::move(candidates[std::get<7>(taste)]));
  candidates = std::move(sorted);
}

bool suffices(const Candidate& one, const NodesWanted& wanted) {
  return one.capacity >= wanted.tasks && one.gres >= wanted.gres;
}

// One node for all: the least crowded, then the lightest, then the tightest, or with LLN the
// loosest. Those of several nodes take the loosest in any case, as they are to be few.
Candidates one_node(Candidates& candidates, const NodesWanted& wanted) {
  std::erase_if(candidates, [&](const Candidate& c) { return !suffices(c, wanted); });
  if (candidates.empty()) return {};
  return {*std::ranges::min_element(candidates, {}, [&](const Candidate& c) {
    std::uint32_t load = wanted.least_loaded ? ~c.free.cpus : c.free.cpus;
    return std::tuple(crowding_of(c.free), c.free.weight, c.free.asleep, load, c.free.slack_ms,
                      c.free.node);
  })};
}

// Takes `chosen` and as many more as it needs, in the given order.
Candidates fill_up(Candidates chosen, const Candidates& others, const NodesWanted& wanted) {
  Sum room;
  for (const Candidate& candidate : chosen) room.add(candidate);
  for (const Candidate& candidate : others) {
    if (chosen.size() >= wanted.nodes_max) break;
    if (chosen.size() >= wanted.nodes_min && room.suffices(wanted)) break;
    chosen.push_back(candidate);
    room.add(candidate);
  }
  bool enough = chosen.size() >= wanted.nodes_min && chosen.size() <= wanted.nodes_max &&
                room.suffices(wanted);
  return enough ? chosen : Candidates{};
}

// The shortest row of neighbours that suffices; of several the first.
Candidates contiguous(Candidates& candidates, const NodesWanted& wanted) {
  std::ranges::sort(candidates, {}, [](const Candidate& c) { return c.free.node; });
  Candidates best;
  std::size_t begin = 0;
  Sum room;
  for (std::size_t end = 0; end < candidates.size(); ++end) {
    bool neighbour =
        end > begin && candidates[end].free.node.value == candidates[end - 1].free.node.value + 1;
    if (!neighbour) {
      begin = end;
      room = {};
    }
    room.add(candidates[end]);
    auto size = [&] { return end - begin + 1; };
    // Without its first node, is it still enough?
    auto without_first = [&] {
      Sum rest = room;
      rest.remove(candidates[begin]);
      return rest;
    };
    while (size() > wanted.nodes_min && without_first().suffices(wanted))
      room.remove(candidates[begin++]);
    bool enough = size() >= wanted.nodes_min && size() <= wanted.nodes_max && room.suffices(wanted);
    if (enough && (best.empty() || size() < best.size()))
      best.assign(candidates.begin() + static_cast<std::ptrdiff_t>(begin),
                  candidates.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  }
  return best;
}

// As many nodes as there are tasks, if there are so many.
Candidates spread(Candidates& candidates, NodesWanted wanted) {
  sort_by_taste(candidates);
  auto many = static_cast<std::uint32_t>(std::min<std::size_t>(candidates.size(), wanted.tasks));
  many = std::min(many, wanted.nodes_max);
  wanted.nodes_min = std::max(wanted.nodes_min, many);
  return fill_up({}, candidates, wanted);
}

bool fits_all(const FeatureChoice& choice, const Candidate& candidate) {
  return std::ranges::all_of(choice.every, [&](const FeatureCondition& one) {
    return one.holds(candidate.free.features());
  });
}

// Nodes for the counted features first, then the others. The features that the fewest nodes have
// choose first.
Candidates counted(const FeatureChoice& choice, Candidates candidates, NodesWanted wanted) {
  sort_by_taste(candidates);
  struct Need {
    const FeatureChoice::Counted* counted;
    std::size_t able;
  };
  std::vector<Need> needs;
  std::uint32_t sum = 0;
  for (const FeatureChoice::Counted& one : choice.counted) {
    sum += one.nodes;
    auto able = std::ranges::count_if(
        candidates, [&](const Candidate& c) { return one.condition.holds(c.free.features()); });
    needs.push_back({&one, static_cast<std::size_t>(able)});
  }
  std::ranges::sort(needs, {}, [](const Need& need) { return std::pair(need.able, need.counted); });
  Candidates chosen;
  for (const Need& need : needs) {
    auto has = [&](const Candidate& c) { return need.counted->condition.holds(c.free.features()); };
    std::uint32_t missing = need.counted->nodes;
    if (!choice.distinct) {
      auto already = static_cast<std::uint32_t>(std::ranges::count_if(chosen, has));
      missing -= std::min(missing, already);
    }
    for (auto at = candidates.begin(); at != candidates.end() && missing > 0;) {
      if (!has(*at)) {
        ++at;
        continue;
      }
      chosen.push_back(*at);
      at = candidates.erase(at);
      --missing;
    }
    if (missing > 0) return {};
  }
  if (choice.distinct) wanted.nodes_min = std::max(wanted.nodes_min, sum);
  return fill_up(std::move(chosen), candidates, wanted);
}

// --nodelist with fewer names than nodes: these, and others.
Candidates with_required(const Hostlist& required, Candidates candidates,
                         const NodesWanted& wanted) {
  sort_by_taste(candidates);
  Candidates chosen, others;
  for (Candidate& one : candidates)
    (required.contains(one.free.spec->name) ? chosen : others).push_back(std::move(one));
  if (chosen.size() < required.count()) return {};
  return fill_up(std::move(chosen), others, wanted);
}

// Are all that it names among them, if it names no more than it wants?
bool has_required(const JobSpec& spec, const Candidates& candidates) {
  auto required = Hostlist::parse(spec.extras->required_nodes);
  if (!required || required->empty() || required->count() > std::max(1u, spec.min_nodes))
    return true;
  auto found = std::ranges::count_if(
      candidates, [&](const Candidate& one) { return required->contains(one.free.spec->name); });
  return static_cast<std::uint64_t>(found) == required->count();
}

// Of the network's groups, as the job and the site want it; null: wherever they are.
const NodeGroups* groups_for(const JobSpec& spec, const PlacementRules& rules) {
  const JobSpecials& specials = *spec.extras->specials;
  if (!rules.groups || rules.groups->kind == TopologyKind::Flat) return nullptr;
  bool asked = specials.switches > 0 || specials.segment > 0;
  return rules.groups->only_on_request && !asked ? nullptr : &*rules.groups;
}

Candidates grouped(const JobSpec& spec, Candidates& candidates, const NodesWanted& wanted,
                   const NodeGroups& groups) {
  const JobSpecials& specials = *spec.extras->specials;
  GroupWish wish{.leaves_max = specials.switches,
                 .segment = groups.kind == TopologyKind::Tree ? 0 : specials.segment,
                 .segments_together = specials.consolidate_segments,
                 .segments_apart = specials.spread_segments && groups.kind == TopologyKind::Block};
  if (auto required = Hostlist::parse(spec.extras->required_nodes); required && !required->empty())
    for (const Candidate& one : candidates)
      if (required->contains(one.free.spec->name)) wish.required.push_back(one.free.node);
  sort_by_taste(candidates);
  Candidates chosen;
  for (std::uint32_t place : arrange(groups, candidates, wanted, wish))
    chosen.push_back(candidates[place]);
  return chosen;
}

Candidates choose_plainly(const JobSpec& spec, Candidates candidates, const NodesWanted& wanted,
                          const PlacementRules& rules) {
  if (spec.contiguous) return contiguous(candidates, wanted);
  if (spec.extras->specials->spread) return spread(candidates, wanted);
  const NodeGroups* groups = groups_for(spec, rules);
  // A job of one node is anywhere in a ring; in a torus there must be a box for it.
  bool in_window = groups && (groups->kind == TopologyKind::Torus ||
                              (groups->kind == TopologyKind::Ring && wanted.nodes_min > 1));
  if (in_window)
    return has_required(spec, candidates) ? grouped(spec, candidates, wanted, *groups)
                                          : Candidates{};
  if (!spec.extras->required_nodes.empty())
    if (auto required = Hostlist::parse(spec.extras->required_nodes);
        required && required->count() <= wanted.nodes_max)
      return with_required(*required, std::move(candidates), wanted);
  bool one_suffices =
      wanted.nodes_min == 1 &&
      std::ranges::any_of(candidates, [&](const Candidate& c) { return suffices(c, wanted); });
  if (one_suffices) return one_node(candidates, wanted);
  if (groups) return grouped(spec, candidates, wanted, *groups);
  sort_by_taste(candidates);
  return fill_up({}, candidates, wanted);
}

// As `wanted` says, with the features that it asks for.
Candidates choose_so_many(const JobSpec& spec, Candidates candidates, const NodesWanted& wanted,
                          const PlacementRules& rules) {
  if (spec.extras->features.empty())
    return choose_plainly(spec, std::move(candidates), wanted, rules);
  auto features = FeatureExpression::parse(spec.extras->features);
  if (!features) return {};
  for (const FeatureChoice& choice : features->choices) {
    Candidates able = candidates;
    std::erase_if(able, [&](const Candidate& c) { return !fits_all(choice, c); });
    Candidates chosen = choice.counted.empty()
                            ? choose_plainly(spec, std::move(able), wanted, rules)
                            : counted(choice, std::move(able), wanted);
    if (!chosen.empty()) return chosen;
  }
  return {};
}

Candidates choose_exactly(const JobSpec& spec, const Candidates& candidates, NodesWanted wanted,
                          std::uint32_t nodes, const PlacementRules& rules) {
  wanted.nodes_min = wanted.nodes_max = nodes;
  wanted.tasks = std::max(tasks_on(spec, nodes), nodes);
  return choose_so_many(spec, candidates, wanted, rules);
}

// --nodes=min-max: as many as there are within that, and tasks for. Fewer nodes are found where
// more are, but for rare shapes of networks: so it is halved. O(log nodes) choices.
Candidates choose_most(const JobSpec& spec, const Candidates& candidates, const NodesWanted& wanted,
                       const PlacementRules& rules) {
  std::uint64_t most = std::min<std::uint64_t>(wanted.nodes_max, candidates.size());
  if (!tasks_follow_nodes(spec)) most = std::min<std::uint64_t>(most, spec.tasks);
  Candidates best;
  std::uint64_t least = wanted.nodes_min;  // as few may do
  for (std::uint64_t nodes = most; nodes >= least && nodes > wanted.nodes_min;) {
    Candidates found =
        choose_exactly(spec, candidates, wanted, static_cast<std::uint32_t>(nodes), rules);
    if (found.empty()) {
      most = nodes - 1;
    } else {
      least = nodes + 1;
      best = std::move(found);
    }
    nodes = most < least ? 0 : (least + most + 1) / 2;
  }
  return best.empty() ? choose_so_many(spec, candidates, wanted, rules) : best;
}

// --nodes=2,4: the largest of these numbers that there is room for, with --use-min-nodes the
// smallest.
Candidates choose_from_list(const JobSpec& spec, const Candidates& candidates,
                            const NodesWanted& wanted, const PlacementRules& rules) {
  auto listed = ArrayExpression::parse(spec.extras->specials->node_counts);
  if (!listed) return {};
  std::vector<std::uint32_t> counts;
  std::uint64_t most = std::min<std::uint64_t>(wanted.nodes_max, candidates.size());
  for (std::uint32_t nodes = wanted.nodes_min; nodes <= most; ++nodes)
    if (listed->indices.contains(nodes)) counts.push_back(nodes);
  if (!spec.extras->specials->use_min_nodes) std::ranges::reverse(counts);
  if (counts.size() > kCountsTried) counts.resize(kCountsTried);
  for (std::uint32_t nodes : counts)
    if (Candidates found = choose_exactly(spec, candidates, wanted, nodes, rules); !found.empty())
      return found;
  return {};
}

}  // namespace

std::uint32_t users_of(const Free& node) {
  if (node.row == 0 || node.cpus_total == 0) return 0;
  std::uint64_t cpus = std::uint64_t{node.cpus_shared} + node.cpus;
  return static_cast<std::uint32_t>((cpus + node.cpus_total - 1) / node.cpus_total);
}

bool takes_one_alone(const JobSpec& spec, const PlacementRules& rules) {
  bool in_order = !spec.contiguous && !spec.extras->specials->spread &&
                  spec.extras->required_nodes.empty() && spec.extras->features.empty();
  bool in_box = rules.groups && rules.groups->kind == TopologyKind::Torus;
  return std::max(1u, spec.min_nodes) == 1 && in_order && !in_box && !wanted_of(spec, rules).most;
}

std::vector<Candidate> choose(const JobSpec& spec, std::vector<Candidate> candidates,
                              const PlacementRules& rules) {
  NodesWanted wanted = wanted_of(spec, rules);
  bool listed = spec.max_nodes > spec.min_nodes && !spec.extras->specials->node_counts.empty();
  if (!wanted.most && !listed) return choose_so_many(spec, std::move(candidates), wanted, rules);
  if (tasks_follow_nodes(spec)) {
    std::uint32_t each = std::max(1u, tasks_on(spec, wanted.nodes_min) / wanted.nodes_min);
    std::erase_if(candidates, [&](const Candidate& c) { return c.capacity < each; });
  }
  if (listed) return choose_from_list(spec, candidates, wanted, rules);
  return choose_most(spec, candidates, wanted, rules);
}

}  // namespace ym
