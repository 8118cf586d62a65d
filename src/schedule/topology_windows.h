// SPDX-License-Identifier: Apache-2.0
// Networks in which a job takes a window: an arc of a ring, or a box of a torus.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "schedule/choose.h"
#include "schedule/topology.h"

namespace ym {

void make_rings(NodeGroups& out, const Topology& topology, const State& state);
// O(cells of all boxes), which the configuration bounds.
void make_tori(NodeGroups& out, const Topology& topology, const State& state);

// As arrange() in topology.h. One window for the job, or one for each of its segments. Of several
// windows that suffice the one with the fewest nodes is taken, then the lightest, then the one
// that breaks the least: the shortest free arc, or the fewest free boxes that are larger.
std::vector<std::uint32_t> arrange_in_windows(const NodeGroups& groups,
                                              const std::vector<Candidate>& sorted,
                                              const NodesWanted& wanted, const GroupWish& wish);

// Boxes that are larger, all free, and would not be any more.
std::uint32_t boxes_broken(const NodeGroups& groups, const std::vector<NodeId>& chosen,
                           const std::function<bool(NodeId)>& is_free);

}  // namespace ym
