// SPDX-License-Identifier: Apache-2.0
// Which of the submitter's variables go along with a job or step.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/job_options.h"
#include "os/environment_block.h"

namespace ym::cli {

// As --export chooses. SLURM_ and SPANK_ variables always go along. With ALL the variables that are
// set count more than those that the list gives values to.
EnvironmentBlock exported_environment(std::string_view export_list,
                                      const std::vector<std::string>& environment);

// The parts of the list, split at commas outside of quotes; quotes around a value are taken off.
std::vector<std::string> export_words(std::string_view export_list);

// sbatch's: without what describes a job around it, with what describes this one.
Result<EnvironmentBlock> batch_environment(const JobOptions& options,
                                           const SubmissionContext& context);

// Limits in the form that the node takes out of a batch job's environment again.
void add_limits(EnvironmentBlock& environment, const std::vector<ResourceLimit>& limits);

}  // namespace ym::cli
