// SPDX-License-Identifier: Apache-2.0
// The variables of a job's processes. What is true of the job counts more than what the user
// exported; TMPDIR, HOME, PATH and their like are the user's own if they were exported.
#pragma once
#include <string>
#include <vector>

#include "daemon/launch/orders.h"
#include "os/environment_block.h"

namespace ym {

// NAME=value, each ended by NUL.
std::string batch_environment(const LaunchJob& job, const LaunchFacts& facts);
// All but what differs from task to task.
std::string step_environment(const LaunchTasks& request, const StepCredential& credential,
                             const StepShare& share, const LaunchFacts& facts);

// Between sbatch and the node some things travel as variables, as they do in Slurm, because a job's
// environment is stored once for many jobs: SLURM_RLIMIT_NAME=[U]VALUE (U: asked for by name) and
// SLURM_PRIO_PROCESS. Broken ones count as not given.
std::vector<ResourceLimit> limits_in(const EnvironmentBlock& given);
// The nice value of a task.
std::int32_t priority_in(const EnvironmentBlock& given, const LaunchFacts& facts);
LoginWish login_wish(const JobSpec& spec, const LaunchFacts& facts);

// Slurm's short form of numbers for each node: "2(x3),1".
std::string repeated(const std::vector<std::uint32_t>& numbers);

}  // namespace ym
