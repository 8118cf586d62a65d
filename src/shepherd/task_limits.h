// SPDX-License-Identifier: Apache-2.0
// The submitter's resource limits on a task.
#pragma once
#include <vector>

#include "model/launch.h"

namespace ym {

inline constexpr int kLimitsExitCode = 5;  // of a task whose limits could not be set, as Slurm's

// In the task's process, after it has become the user. The soft limits are set; a hard limit is
// raised only where the soft one needs it, which only root may. What cannot be set is said on
// stderr. False: one that had to be set was among them.
bool set_limits(const std::vector<ResourceLimit>& limits);

}  // namespace ym
