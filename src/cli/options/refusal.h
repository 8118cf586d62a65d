// SPDX-License-Identifier: Apache-2.0
// How sbatch, salloc and srun say no: the words and exit codes that scripts know.
#pragma once
#include <string>

#include "cli/options/job_options.h"
#include "model/config.h"

namespace ym::cli {

// Code of an allocation that --immediate did not want to wait for; told as the controller's.
inline constexpr std::uint32_t kNotAtOnce = 0x59000013;

// The exit code of a failure: what SLURM_EXIT_ERROR says, or 1.
int error_exit();

std::string_view name_of(JobCommand command);

// Prints it and gives the exit code. The code of the error says how: see options.h (kWholeText …)
// and job_options.h (kLikeController, kFatal); 0 is a plain text, any other code the controller's.
int tell_refusal(JobCommand command, const Error& error);

// Lines that come before the refusal of a request that no node could ever fulfil, and of one for an
// unknown partition. From what slurm.conf says: the controller may know more.
std::vector<std::string> lines_before_refusal(const Error& error, const JobSpec& spec,
                                              const ClusterConfig& config);
// The same of the first component that there is something to say about.
std::vector<std::string> lines_before_refusal(const Error& error, const SubmitJob& request,
                                              const ClusterConfig& config);

// What can be told before the controller is asked, once the configuration is known: -M names
// other clusters, or generic resources are wanted where there are none.
Status check_against(const JobOptions& options, const MainConfig& config);
// Of what is not refused, but of no effect there; empty: nothing.
std::string what_is_ignored(const JobOptions& options, const MainConfig& config);

}  // namespace ym::cli
