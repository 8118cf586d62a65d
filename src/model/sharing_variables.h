// SPDX-License-Identifier: Apache-2.0
// Whether a job shares its nodes, in the words of squeue, scontrol and of a job's environment.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job.h"
#include "model/partition.h"

namespace ym {

// With whom it shares no node: NODE (nobody), USER, MCS, TOPO; NO if it shares. What the job says
// counts more than its partition.
std::string_view exclusive_word(const JobSpec& spec, Sharing partition);
// YES if it asked to or must, OK if it would be let, NO if it shares no CPU.
std::string_view oversubscribe_word(const JobSpec& spec, Sharing partition);

// SLURM_JOB_OVERSUBSCRIBE, SLURM_JOB_EXCLUSIVE and, with --segment, SLURM_JOB_SEGMENT_SIZE.
std::vector<std::pair<std::string, std::string>> sharing_variables(const JobSpec& spec,
                                                                   Sharing partition);

}  // namespace ym
