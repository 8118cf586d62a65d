// SPDX-License-Identifier: Apache-2.0
// The only way in which state changes.
#pragma once
#include "model/event.h"
#include "model/state.h"

namespace ym {

// Folds one event in. Total and deterministic for every event that `decide` could have made of this
// state; an event that does not belong (an unknown job, a sequence number out of turn) is a broken
// log and fails a check. O(1) in the number of jobs; O(nodes of the job) for those that change an
// allocation.
void apply(State& state, const Event& event);

}  // namespace ym
