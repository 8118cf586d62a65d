// SPDX-License-Identifier: Apache-2.0
#include "schedule/homes.h"

#include <algorithm>

namespace ym {

std::vector<Home> homes_of(const JobSpec& spec, const State& state, const Book& book,
                           const PlacementRules& cluster) {
  std::vector<Home> homes;
  for (const Partition* partition : partitions_of(spec, state)) {
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
