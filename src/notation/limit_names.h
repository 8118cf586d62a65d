// SPDX-License-Identifier: Apache-2.0
// Resource limits by name: srun --propagate, slurm.conf PropagateResourceLimits and …Except.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

// "NOFILE" for Linux's RLIMIT_NOFILE; empty for one that is never handed on.
std::string_view limit_name(std::uint32_t kind);

// Which limits a list names, ascending. "ALL", "NONE", or names with or without RLIMIT_, separated
// by commas; case does not matter.
Result<std::vector<std::uint32_t>> parse_limit_names(std::string_view text);
// The opposite, for …Except: all that the list does not name.
Result<std::vector<std::uint32_t>> parse_limit_exceptions(std::string_view text);

}  // namespace ym
