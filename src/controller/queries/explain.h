// SPDX-License-Identifier: Apache-2.0
// `yardmaster explain`: everything that holds a job back, and what could be asked for instead. What
// the planner that runs has said of the job is repeated, so that nobody reads one thing here and
// another in squeue; what it has not been asked is asked of a planner of the same kind on a
// snapshot. Safe on any thread.
#pragma once
#include "base/result.h"
#include "model/caller.h"
#include "model/config.h"
#include "model/job_messages.h"
#include "model/state.h"
#include "schedule/placement.h"
#include "schedule/plan.h"
#include "schedule/policy.h"
#include "schedule/preempt.h"
#include "schedule/priority.h"

namespace ym {

// What the planner that runs goes by.
struct LivePlan {
  PlacementRules rules;
  const Policy* policy = &default_policy();
  Ref<Verdicts> verdicts;  // what it found out last
  PlanBudget budget;       // as the site's knobs have it
  PreemptRules preempt;
  PriorityScale scale;  // of the multifactor priority, if that counts; totals are not needed
};

// O(jobs + blocked shapes × nodes): for people, one job at a time.
Result<Explanation> explain(const State& state, const JobTarget& target, const LivePlan& live,
                            Instant now);

// As if the job had been changed so a moment ago: the controller's own rules for `scontrol update
// job` say what it would then ask for, or refuse it as they would. Nothing is changed: it happens
// to a copy.
Result<Explanation> explain_changed(const ClusterConfig& config, const State& state,
                                    const QueryExplanation& query, const Caller& caller,
                                    const LivePlan& live, Instant now);

}  // namespace ym
