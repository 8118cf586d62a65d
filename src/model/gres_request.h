// SPDX-License-Identifier: Apache-2.0
// What a job or a step asks for, understood. Pure.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/gres.h"
#include "model/job.h"

namespace ym {

// --gres=none of a step: none at all, not even the job's.
inline constexpr std::string_view kNoGres = "none";

// The options of a job, as they were submitted.
GresOptions gres_options(const JobExtras& extras);

// Refuses what is no list of resources, and a name both with and without a type. No wishes: nothing
// is asked for.
Result<GresRequest> understand(const GresOptions& options);

// How many of the kind a node must give for so many tasks of the job, apart from what is asked for
// by the job as a whole. `sockets`: those of each node that the job asked for.
std::uint64_t wanted_on_node(const GresRequest& request, std::string_view name,
                             std::string_view type, std::uint64_t tasks, std::uint32_t sockets);

// SLURM_GPUS, SLURM_GPUS_PER_NODE and so on: what was asked for, as the job's processes see it.
std::vector<std::pair<std::string, std::string>> gres_variables(const JobSpecials& specials);

// "gres/gpu:2,gres/tool:1": as commands show what was asked for.
std::string shown_gres(std::string_view list);

}  // namespace ym
