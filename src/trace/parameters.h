// SPDX-License-Identifier: Apache-2.0
// What the planner makes of SchedulerParameters, for those who look at a slurm.conf without one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ym::trace {

// One line for each word that is not acted on or makes no sense, as slurmctld's log has it.
std::vector<std::string> parameter_warnings(std::string_view scheduler_parameters);

}  // namespace ym::trace
