// SPDX-License-Identifier: Apache-2.0
// "Best?": which of the nodes that could take a part of the job get it.
#pragma once
#include <cstdint>
#include <vector>

#include "schedule/placement.h"

namespace ym {

// A node and how many of the job's tasks it could take: at least one.
struct Candidate {
  Free free;
  std::uint32_t capacity = 0;
  std::uint64_t gres = 0;  // what it could give to wishes for the whole job (place_gres.h)
};

// Nodes that together take all tasks, as --nodes, --nodelist, --constraint, --contiguous and
// --spread-job want; empty if there are none. O(candidates log candidates) for each of the
// constraint's alternatives.
std::vector<Candidate> choose(const JobSpec& spec, std::vector<Candidate> candidates,
                              const PlacementRules& rules);

}  // namespace ym
