// SPDX-License-Identifier: Apache-2.0
// A task in a container (oci.conf). All of it happens in processes that have become the user:
// nothing of the bundle is opened, and no runtime is run, with other rights than the user's.
//
// The step has a folder (ContainerPath, or one that the shepherd makes in the spool), each task one
// within it: there are the changed config.json, the batch script, the file of variables.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "os/environment_block.h"
#include "shepherd/task.h"

namespace ym {

inline constexpr std::size_t kContainerStateMax = 1 << 20;  // of what RunTimeQuery may say

// Becomes the runtime (RunTimeRun), or stays beside the container until its end (RunTimeCreate and
// RunTimeStart). Why it cannot stands on stderr.
[[noreturn]] void run_in_container(const TaskSetup& setup, std::vector<std::string> arguments,
                                   const EnvironmentBlock& environment);

// RunTimeKill, if there is one.
void kill_container(const TaskSetup& setup, pid_t task, const EnvironmentBlock& environment);
// RunTimeKill and RunTimeDelete, unless RunTimeQuery knows of no such container; then the task's
// files.
void clean_container(const TaskSetup& setup, pid_t task, const EnvironmentBlock& environment);

// Those entries of the environment that the extended regular expression does not match.
std::vector<std::string> filtered_environment(const EnvironmentBlock& environment,
                                              const std::string& exclude);

// What a runtime says of a container.
struct ContainerState {
  std::string status;  // creating, created, running, stopped
  std::uint32_t pid = 0;
};
Result<ContainerState> parse_container_state(std::string_view text);

// The folder of the step's containers in the spool, made for its user; empty if oci.conf names
// another, which the user makes. For the shepherd.
Result<std::string> make_container_spool(const ShepherdOrder& order);

}  // namespace ym
