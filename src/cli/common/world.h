// SPDX-License-Identifier: Apache-2.0
// What a command takes from the process it runs in, gathered in one place.
#pragma once
#include <string>
#include <vector>

#include "cli/options/job_options.h"

namespace ym::cli {

// SLURM_HOSTFILE says on which host each task runs, and so which nodes an allocation has; it counts
// more than any other layout. Without that variable nothing happens.
Status read_hostfile(JobOptions& options);

// `words` are those of the command's line, without its name.
SubmissionContext submission_context(JobCommand command, const std::vector<std::string>& words);
std::vector<std::string> own_environment();
// The reasons an answer did not come, in words for the user.
std::string submission_error(const Error& error, const std::string& job_name);
// "Job 7 to start at …", if the controller could tell.
std::string expectation(const SubmitAnswer& answer);
// What other files and the name service say to the options: the nodes of --nodefile (or of
// --nodelist with a file), the text of --bbf, the numbers of --uid and --gid.
Status settle_outside(JobOptions& options);

}  // namespace ym::cli
