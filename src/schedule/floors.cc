// SPDX-License-Identifier: Apache-2.0
#include "schedule/floors.h"

#include <algorithm>

namespace ym {

Floors::Size::Size(const JobSpec& spec)
    : nodes(std::max(1u, spec.min_nodes)),
      tasks(std::max(1u, spec.tasks)),
      length_s(spec.time_limit_s ? spec.time_limit_s : JobSpec::kUnlimited),
      memory_per_node_mb(spec.memory_per_node_mb),
      memory_per_cpu_mb(spec.memory_per_cpu_mb) {}

bool Floors::Size::is_within(const Size& other) const {
  return nodes <= other.nodes && tasks <= other.tasks && length_s <= other.length_s &&
         memory_per_node_mb <= other.memory_per_node_mb &&
         memory_per_cpu_mb <= other.memory_per_cpu_mb;
}

Instant Floors::of(std::uint64_t kind, const JobSpec& spec) const {
  Instant floor;
  auto at = noted_.find(kind);
  if (at == noted_.end()) return floor;
  Size size(spec);
  for (const Noted& one : at->second)
    if (one.start > floor && one.size.is_within(size)) floor = one.start;
  return floor;
}

void Floors::note(std::uint64_t kind, const JobSpec& spec, Instant start) {
  noted_[kind].push_back({Size(spec), start});
}

}  // namespace ym
