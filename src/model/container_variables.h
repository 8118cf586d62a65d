// SPDX-License-Identifier: Apache-2.0
// What a job's environment says of --container, so that srun inside of it wants the same.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/job.h"

namespace ym {

// SLURM_CONTAINER and SLURM_CONTAINER_ID, as far as they were wished for.
std::vector<std::pair<std::string, std::string>> container_variables(const JobExtras& extras,
                                                                     const JobSpecials& specials);

}  // namespace ym
