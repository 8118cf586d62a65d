// SPDX-License-Identifier: Apache-2.0
// Whether a job shares its nodes, in the words of squeue, scontrol and of a job's environment.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/job.h"

namespace ym {

// With whom it shares no node: NODE (nobody), USER, MCS, TOPO; NO if it shares.
std::string_view exclusive_word(const JobSpec& spec);
// YES if it asked to, NO if it shares no node, otherwise OK.
std::string_view oversubscribe_word(const JobSpec& spec);

// SLURM_JOB_OVERSUBSCRIBE, SLURM_JOB_EXCLUSIVE and, with --segment, SLURM_JOB_SEGMENT_SIZE.
std::vector<std::pair<std::string, std::string>> sharing_variables(const JobSpec& spec);

}  // namespace ym
