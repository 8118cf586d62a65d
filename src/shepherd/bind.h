// SPDX-License-Identifier: Apache-2.0
// Binds this process to the CPUs and the memory that its order names. In the child, before exec.
#pragma once
#include <string>

#include "shepherd/order.h"

namespace ym {

// What went wrong, for the task's stderr; empty: nothing. The task runs all the same: a CPU may
// have gone offline, or a control group may not have it.
std::string bind_process(const TaskOrder& task);

// The task's notice with its process id.
std::string notice_of(const TaskOrder& task, int pid);

}  // namespace ym
