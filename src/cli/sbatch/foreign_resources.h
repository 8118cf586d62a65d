// SPDX-License-Identifier: Apache-2.0
// The resource lists of PBS: what stands behind -l.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

// "nodes=2:ppn=4,walltime=1:00:00" as options of sbatch. What is not known there is left out, as
// Slurm does.
Result<std::vector<std::string>> pbs_resources(std::string_view list);
// "2gb" and "500kb" as sbatch writes sizes; a bare "b" is a byte.
std::string sbatch_size(std::string_view size);

}  // namespace ym::cli
