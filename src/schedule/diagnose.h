// SPDX-License-Identifier: Apache-2.0
// "Could it ever start?": what the cluster would have for a request if it were empty.
#pragma once
#include <string>

#include "model/state.h"
#include "schedule/placement.h"

namespace ym {

// Why a request that nothing was found for waits: it never fits (PartitionConfig, BadConstraints),
// its nodes are away (ReqNodeNotAvail, with these in `text`), or they are taken.
struct Diagnosis {
  Reason reason = Reason::Resources;
  std::string text;
};
Diagnosis diagnose(const State& state, const JobSpec& spec, const PlacementRules& rules);

// Would it fit if every node of the partition were up and empty?
bool fits_when_empty(const State& state, const Partition& partition, const JobSpec& spec,
                     const PlacementRules& cluster);

}  // namespace ym
