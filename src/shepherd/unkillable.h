// SPDX-License-Identifier: Apache-2.0
// Processes that SIGKILL did not end: the kernel holds them, and only a person can tell why.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "shepherd/order.h"

namespace ym {

inline constexpr std::size_t kUnkillableMax = 20;  // so many are described
inline constexpr Duration kUnkillableProgramWait = std::chrono::seconds(10);

// A few lines for each that is there and not a zombie: number, name, state, kernel stack.
std::string describe_unkillable(const std::vector<pid_t>& processes);
// slurm.conf's UnkillableStepProgram, with SLURM_JOB_ID, SLURM_STEP_ID and SLURMD_NODENAME. Waits
// for its end, but not for ever.
void run_unkillable_program(const ShepherdOrder& order);

}  // namespace ym
