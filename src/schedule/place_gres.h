// SPDX-License-Identifier: Apache-2.0
// Generic resources in a placement: what they leave of a node for a job, and which ones it gets.
#pragma once
#include <cstdint>
#include <vector>

#include "schedule/choose.h"
#include "schedule/placement.h"

namespace ym {

// Null if the job asks for none.
const GresRequest* gres_request(const JobSpec& spec);

// Of `tasks` tasks, those that the node's resources carry with `cpus` CPUs. REQUIRES: the job asks
// for some.
std::uint32_t gres_capacity(const JobSpec& spec, const Free& node, std::uint32_t tasks,
                            std::uint32_t cpus, const PlacementRules& rules);
// What the node could give to the wishes for the whole job, and how much these are.
std::uint64_t gres_room(const GresRequest& request, const Free& node, std::uint32_t cpus,
                        const PlacementRules& rules);
std::uint64_t gres_total(const GresRequest& request);
// Several kinds for the whole job: what suffices in sum need not suffice of each.
bool has_several_totals(const GresRequest& request);

// Chooses devices on the nodes of the allocation (in its order, with so many tasks each) and raises
// CPUs and memory to what --cpus-per-gpu and --mem-per-gpu ask for. A job that has its nodes for
// itself gets all that they have. False if they do not suffice.
bool add_gres(const JobSpec& spec, const std::vector<Candidate>& chosen,
              const std::vector<std::uint32_t>& tasks, const PlacementRules& rules,
              Allocation& allocation);

// In working copies of what is free.
void hold_gres(const Allocation& allocation, Free& free);
void release_gres(const Allocation& allocation, Free& free);
bool still_has_gres(const Node& node, const Allocation& allocation);
bool still_has_gres(const Free& free, const Allocation& allocation);
Ref<GresKinds> unused_gres(const Node& node);

}  // namespace ym
