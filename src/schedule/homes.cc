// SPDX-License-Identifier: Apache-2.0
#include "schedule/homes.h"

#include <algorithm>

namespace ym {
namespace {

// Nodes that are kept for others are not for this one.
void leave_out_kept(Home& home, const JobSpec& spec, const State& state,
                    const std::vector<NodeId>& nodes) {
  std::uint32_t own = spec.extras->specials->keeps;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const Node* node = state.find(nodes[place]);
    if (!node || !node->kept_for || node->kept_for.value == own) continue;
    if (home.takes_all) {
      home.takes_all = false;
      home.admitted.assign((nodes.size() + 63) / 64, ~std::uint64_t{0});
    }
    home.admitted[place / 64] &= ~(std::uint64_t{1} << (place % 64));
  }
}

}  // namespace

std::vector<Home> homes_of(const JobSpec& spec, const State& state, const Book& book,
                           const PlacementRules& cluster) {
  std::vector<Home> homes;
  for (const Partition* partition : partitions_by_tier(spec, state)) {
    const std::uint32_t* pool = book.pool_of(partition->id);
    if (!pool) continue;
    Home home{.id = partition->id,
              .pool = *pool,
              .takes_all = admits_every_node(spec),
              .admitted = {},
              .rules = rules_in(*partition->spec, cluster),
              .cpus_least = std::max(
                  {1u, spec.min_cpus_per_node, spec.overcommit ? 1u : spec.cpus_per_task})};
    if (!home.takes_all) {
      const std::vector<NodeId>& nodes = book.pools()[*pool].nodes;
      home.admitted.resize((nodes.size() + 63) / 64);
      for (const Node* node : admitted_nodes(state, *partition, spec)) {
        auto at = std::ranges::lower_bound(nodes, node->id);
        if (at == nodes.end() || *at != node->id) continue;
        auto place = static_cast<std::size_t>(at - nodes.begin());
        home.admitted[place / 64] |= std::uint64_t{1} << (place % 64);
      }
    }
    if (state.kept_changes) leave_out_kept(home, spec, state, book.pools()[*pool].nodes);
    homes.push_back(std::move(home));
  }
  return homes;
}

JobSpec with_features(const JobSpec& spec, const std::string& features) {
  JobSpec other = spec;
  JobExtras extras = *spec.extras;
  extras.features = features;
  other.extras = Ref(std::move(extras));
  return other;
}

}  // namespace ym
