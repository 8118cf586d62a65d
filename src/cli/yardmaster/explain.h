// SPDX-License-Identifier: Apache-2.0
// What `explain` and `what-if` share.
#pragma once
#include <string>

#include "base/result.h"
#include "model/job_messages.h"

namespace ym::cli {

// 7, 7_3, 7+1 or an attempt's name.
Result<JobTarget> explained_target(const std::string& word);
// Every condition that holds the job back, and what would change that.
void print_obstacles(const Explanation& told);

}  // namespace ym::cli
