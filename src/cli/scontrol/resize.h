// SPDX-License-Identifier: Apache-2.0
// Scripts that tell a job's shell that it has fewer nodes.
#pragma once
#include <string>

#include "cli/scontrol/scontrol.h"
#include "model/job_messages.h"

namespace ym::cli {

// What a shell has to run: sh's language, or csh's.
std::string resize_script(const JobRow& row, bool csh);

// Writes slurm_job_N_resize.sh and .csh into the working directory and says how to use them;
// nothing if the job does not run. Returns the exit code.
// Only a shell of a job has variables to set.
int write_resize_scripts(ScontrolContext& context, JobId job);

}  // namespace ym::cli
