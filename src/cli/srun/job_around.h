// SPDX-License-Identifier: Apache-2.0
// The job that --jobid names, for those who stand outside of it: within it the variables tell.
#pragma once
#include "cli/common/controller.h"
#include "cli/options/job_options.h"

namespace ym::cli {

// How many nodes the job has, for a step without --nodes; refuses what it has not. A job that is
// not there or does not run is left to the one who makes the step.
Status look_at_job(Controller& controller, JobOptions& options);

}  // namespace ym::cli
