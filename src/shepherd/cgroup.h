// SPDX-License-Identifier: Apache-2.0
// A control group (v2) for a step, where the machine lets us: its processes cannot leave it, and
// one write kills all of them. Without one everything here does nothing, and descendants.h has to
// suffice.
#pragma once
#include <string>

#include "shepherd/order.h"

namespace ym {

// Where a step's group is or would be; empty if there is no v2 hierarchy or we are not root.
std::string cgroup_path(const std::string& node, JobId job, Sluid sluid, StepId step);
// Empty if it could not be made.
std::string make_cgroup(const std::string& path);
void join_cgroup(const std::string& path);
void kill_cgroup(const std::string& path);
// And the job's, if it was the last step.
void remove_cgroup(const std::string& path);

}  // namespace ym
