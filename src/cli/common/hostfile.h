// SPDX-License-Identifier: Apache-2.0
// The file that SLURM_HOSTFILE names: the host of each task, for --distribution=arbitrary.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym::cli {

inline constexpr std::size_t kHostfileMax = 4 << 20;  // bytes
inline constexpr std::size_t kHostfileTasksMax = 1 << 20;

// Hosts by lines or commas, with ranges ("n[1-4]") and repetitions ("n1*3"); '#' starts a comment.
// The result is a hostlist with one name for each task, in order.
Result<std::string> hosts_of_file(std::string_view text);

}  // namespace ym::cli
