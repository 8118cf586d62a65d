// SPDX-License-Identifier: Apache-2.0
// sbatch: a script becomes a job.
#pragma once
#include "cli/common/command.h"
#include "cli/options/job_options.h"

namespace ym::cli {

CommandPage sbatch_page();
// Options in the order of their weight: those of #SBATCH lines, of lines of other batch systems, of
// the environment, of the line.
Status apply_batch_options(std::string_view script, const std::vector<GivenOption>& line,
                           JobOptions& options);
// The same with the words of one component's #SBATCH lines, and the text whose lines of other batch
// systems count for it.
Status apply_batch_options(const std::vector<std::string>& words, std::string_view script,
                           const std::vector<GivenOption>& line, JobOptions& options);
int sbatch_main(const Arguments& arguments);

}  // namespace ym::cli
