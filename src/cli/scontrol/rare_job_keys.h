// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/scontrol/scontrol.h"

namespace ym::cli {

// True if the key was one of the rarer ones and is now in the patch; an error if its value is bad.
Result<bool> set_rare_job_key(JobPatch& patch, const Assignment& one);

}  // namespace ym::cli
