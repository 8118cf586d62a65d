// SPDX-License-Identifier: Apache-2.0
// srun --bcast: the program goes to the nodes first, and is started from its copy there.
#pragma once
#include <string>
#include <vector>

#include "cli/common/controller.h"
#include "cli/options/job_options.h"

namespace ym::cli {

// Where the copy goes, from --bcast's value and BcastParameters.
std::string bcast_destination(const std::string& wish, std::string_view parameters,
                              const std::string& work_dir, const StepCreated& step);
// As execvp would find it; the name itself if it does not.
std::string find_program(const std::string& name, const std::string& path);

// Copies what `launch` would start and lets it start the copy. Nothing without --bcast.
Status bcast_program(Controller& controller, const JobOptions& options, const StepCreated& step,
                     LaunchTasks& launch);

}  // namespace ym::cli
