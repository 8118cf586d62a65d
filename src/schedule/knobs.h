// SPDX-License-Identifier: Apache-2.0
// SchedulerParameters of slurm.conf: which of Slurm's knobs turn what here, which are needless, and
// which are not acted on. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "schedule/plan.h"
#include "schedule/policy.h"

namespace ym {

struct SchedulerKnobs {
  const Policy* policy = &default_policy();  // ym_policy
  PlanBudget budget;                         // without out_of_time
  std::uint32_t topopt_iterations = 16;      // bf_topopt_iterations, if it is enabled
  Duration time_max{0};       // bf_max_time: what a full pass may take; 0: as long as it needs
  bool depth_is_set = false;  // bf_max_job_test: no more starts are planned than it says
};

struct KnobReading {
  SchedulerKnobs knobs;
  std::vector<std::string> warnings;  // one sentence each, for people
};

// Never fails: what is not understood is warned of and left at its default.
KnobReading read_knobs(std::string_view parameters);

}  // namespace ym
