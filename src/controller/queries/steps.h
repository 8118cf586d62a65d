// SPDX-License-Identifier: Apache-2.0
// Steps that are alive, made of a snapshot. Safe on any thread; the controller itself is not asked.
#pragma once
#include <functional>

#include "model/state.h"
#include "model/step_messages.h"

namespace ym {

// Where the node's slurmd listens: as it said itself, unless the configuration knows better.
NodeAddress address_of(const Node& node);

// The job's live steps with their nodes; a batch script that is running is one of them, the first.
// `step` unset: all. O(steps × nodes).
std::vector<StepRow> step_rows(const State& state, const Job& job, std::optional<StepId> step);

// Calls visit(job) for every job from `from` on that may have steps of those that are asked for, in
// ascending order of ids; stops when it returns false. An array stands for its elements. O(jobs),
// or O(elements) with a job.
void for_each_with_steps(const State& state, const QuerySteps& query,
                         const std::function<bool(const Job&)>& visit, JobId from = {});

// The same with the steps of its present attempt that have ended, as far as they are still known:
// the batch script, extern, then the others by number.
std::vector<StepRow> all_step_rows(const State& state, const Job& job);

// Was the job known to the cluster at some moment of that time? See QueryHistory.
bool was_there(const Job& job, Instant since, Instant until);

}  // namespace ym
