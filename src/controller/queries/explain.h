// SPDX-License-Identifier: Apache-2.0
// `yardmaster explain`: everything that holds a job back, and what could be asked for instead. Asks
// a planner of its own on a snapshot; safe on any thread.
#pragma once
#include "base/result.h"
#include "model/job_messages.h"
#include "model/state.h"
#include "schedule/placement.h"

namespace ym {

// O(jobs + blocked shapes × nodes): for people, one job at a time.
Result<Explanation> explain(const State& state, const JobTarget& target,
                            const PlacementRules& rules, Instant now);

}  // namespace ym
