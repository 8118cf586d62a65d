// SPDX-License-Identifier: Apache-2.0
// Heterogeneous jobs on a command line or in a script: the options of several components. Each is
// made complete in itself, with what it takes over from the one before it.
#pragma once
#include <string>
#include <vector>

#include "cli/options/job_options.h"

namespace ym::cli {

// The words of each component. sbatch and salloc: a ":" where options end begins the next one, and
// what to run comes last. srun: every ":" does, and each may have a program of its own.
std::vector<std::vector<std::string>> split_components(JobCommand command,
                                                       const std::vector<std::string>& arguments);

// At least `count` components: each with the options of the one before it that Slurm hands on, as
// words before its own. Words that cannot be understood are left for whoever parses them.
std::vector<std::vector<std::string>> complete_components(
    JobCommand command, std::vector<std::vector<std::string>> components, std::size_t count);

// Is the option handed on to the next component?
bool handed_on(std::string_view option);

// One request of all of them.
Result<SubmitJob> make_submission(const std::vector<JobOptions>& components,
                                  const SubmissionContext& context);

}  // namespace ym::cli
