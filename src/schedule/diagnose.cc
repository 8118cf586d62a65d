// SPDX-License-Identifier: Apache-2.0
#include "schedule/diagnose.h"

#include <vector>

#include "notation/hostlist.h"

namespace ym {

bool fits_when_empty(const State& state, const Partition& partition, const JobSpec& spec,
                     const PlacementRules& cluster) {
  std::vector<Free> candidates;
  for (const Node* node : admitted_nodes(state, partition, spec))
    candidates.push_back(free_when_empty(*node));
  PlacementRules rules = rules_in(*partition.spec, cluster);
  return place(spec, std::move(candidates), rules).has_value();
}

Diagnosis diagnose(const State& state, const JobSpec& spec, const PlacementRules& rules) {
  bool fits = false, admitted = false;
  std::vector<std::string> away;
  auto required = Hostlist::parse(spec.extras->required_nodes);
  for (const Partition* partition : partitions_of(spec, state)) {
    fits = fits || fits_when_empty(state, *partition, spec, rules);
    for (const Node* node : admitted_nodes(state, *partition, spec)) {
      admitted = true;
      if (required && required->contains(node->spec->name) && !node->usable())
        away.push_back(node->spec->name);
    }
  }
  if (!fits) return {admitted ? Reason::PartitionConfig : Reason::BadConstraints, ""};
  if (away.empty()) return {};
  return {Reason::ReqNodeNotAvail, "UnavailableNodes:" + Hostlist::of(away).str()};
}

}  // namespace ym
