// SPDX-License-Identifier: Apache-2.0
// What srun hands on from itself to its tasks: limits, priority, umask, task prolog and epilog.
#pragma once
#include "base/result.h"
#include "cli/options/job_options.h"
#include "model/config.h"
#include "model/step_messages.h"

namespace ym::cli {

Status add_task_wishes(LaunchTasks& launch, const JobOptions& options,
                       const SubmissionContext& context, const MainConfig& config);

// --gpu-freq, as notation/gpu_freq.h reads it; empty: no wish.
std::string gpu_freq_of(const JobOptions& options);

}  // namespace ym::cli
