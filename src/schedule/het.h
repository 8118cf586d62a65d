// SPDX-License-Identifier: Apache-2.0
// Heterogeneous jobs for the planner: components that start together or not at all. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/state.h"
#include "schedule/placement.h"

namespace ym {

// All components of the job's heterogeneous job in their order, itself alone if it is none. Empty
// if a record is missing. O(components).
std::vector<const Job*> components_of(const State& state, const Job& job);

// May all of them start, as far as holds, dependencies and priorities go?
bool may_start(const std::vector<const Job*>& components);
// When all of them have become eligible.
Instant eligible_from(const std::vector<const Job*>& components);

// Equal keys, same shape: of a job, or of all components together.
std::string shape_key(const std::vector<const Job*>& components);

// Would they fit beside each other if every node were up and empty? Asked first: for those that
// never do, the earliest time is looked for in vain.
bool fit_when_empty(const State& state, const std::vector<const JobSpec*>& specs,
                    const PlacementRules& cluster);

}  // namespace ym
