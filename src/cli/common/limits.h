// SPDX-License-Identifier: Apache-2.0
// The limits of this process that its job is to have as well.
#pragma once
#include <vector>

#include "base/result.h"
#include "cli/options/job_options.h"
#include "model/config.h"

namespace ym::cli {

// Chosen by --propagate, else by slurm.conf's PropagateResourceLimits or …Except. Those that the
// user names one by one are required.
Result<std::vector<ResourceLimit>> own_limits(const JobOptions& options, const MainConfig& config);

}  // namespace ym::cli
