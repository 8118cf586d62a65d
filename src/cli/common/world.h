// SPDX-License-Identifier: Apache-2.0
// What a command takes from the process it runs in, gathered in one place.
#pragma once
#include <string>
#include <vector>

#include "cli/options/job_options.h"

namespace ym::cli {

SubmissionContext submission_context(JobCommand command);
std::vector<std::string> own_environment();
// The reasons an answer did not come, in words for the user.
std::string submission_error(const Error& error, const std::string& job_name);
// The file's text where --nodelist named a file.
Status read_nodelist_file(JobOptions& options);

}  // namespace ym::cli
