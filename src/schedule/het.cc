// SPDX-License-Identifier: Apache-2.0
#include "schedule/het.h"

#include <algorithm>
#include <map>

#include "schedule/place_gres.h"
#include "schedule/shape.h"

namespace ym {

std::vector<const Job*> components_of(const State& state, const Job& job) {
  if (!job.het_job) return {&job};
  std::vector<const Job*> found;
  for (std::uint32_t offset = 0; offset < job.het_count; ++offset) {
    const Job* one = state.find(JobId{job.het_job.value + offset});
    if (!one || one->het_job != job.het_job) return {};
    found.push_back(one);
  }
  return found;
}

bool may_start(const std::vector<const Job*>& components) {
  return !components.empty() && std::ranges::all_of(components, [](const Job* one) {
    return one->state == JobState::Pending && !one->held() && one->dependency->empty() &&
           one->priority > 0;
  });
}

Instant eligible_from(const std::vector<const Job*>& components) {
  Instant latest;
  for (const Job* one : components) latest = std::max(latest, one->eligible);
  return latest;
}

std::string shape_key(const std::vector<const Job*>& components) {
  if (components.size() == 1) return shape_key(*components.front()->spec);
  std::string key;
  for (const Job* one : components) {
    std::string part = shape_key(*one->spec);
    auto size = static_cast<std::uint32_t>(part.size());
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key += part;
  }
  return key;
}

bool fit_when_empty(const State& state, const std::vector<const JobSpec*>& specs,
                    const PlacementRules& cluster) {
  std::map<NodeId, Free> free;
  for (const JobSpec* wanted : specs) {
    std::optional<JobSpec> fewest;
    if (takes_a_range(*wanted)) fewest = with_fewest_nodes(*wanted);
    const JobSpec* spec = fewest ? &*fewest : wanted;
    std::optional<Allocation> found;
    for (const Partition* partition : partitions_of(*spec, state)) {
      std::vector<Free> candidates;
      PlacementRules rules = rules_in(*partition->spec, cluster);
      for (const Node* node : admitted_nodes(state, *partition, *spec)) {
        Free& left = free.try_emplace(node->id, free_when_empty(*node)).first->second;
        candidates.push_back(left);
        // Whoever shares needs not wait for the others' CPUs.
        if (rows_for(*spec, rules)) candidates.back().cpus = left.cpus_total;
      }
      found = place(*spec, std::move(candidates), rules);
      if (found) break;
    }
    if (!found) return false;
    for (const NodeShare& share : found->nodes) {
      Free& left = free.at(share.node);
      left.cpus -= std::min(left.cpus, share.cpus);
      left.memory_mb -= std::min(left.memory_mb, share.memory_mb);
      left.idle = false;
      hold_gres(*found, left);
    }
  }
  return true;
}

}  // namespace ym
