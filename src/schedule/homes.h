// SPDX-License-Identifier: Apache-2.0
// The partitions of a request as placement sees them: which of their nodes it admits, under which
// rules. Pure.
#pragma once
#include <vector>

#include "schedule/book.h"
#include "schedule/queue.h"

namespace ym {

// The highest tier first, then in the request's order. O(1) for each partition if it admits every
// node, else O(its nodes).
std::vector<Home> homes_of(const JobSpec& spec, const State& state, const Book& book,
                           const PlacementRules& cluster);

// With other features in place of --constraint.
JobSpec with_features(const JobSpec& spec, const std::string& features);

}  // namespace ym
