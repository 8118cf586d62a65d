// SPDX-License-Identifier: Apache-2.0
// What a job's environment says of --distribution and its relatives, so that srun inside of it
// wants the same.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/launch.h"

namespace ym {

// "SLURM_DISTRIBUTION", "block"; only what was wished for.
std::vector<std::pair<std::string, std::string>> binding_variables(const BindingWish& wish);

}  // namespace ym
