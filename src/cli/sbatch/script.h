// SPDX-License-Identifier: Apache-2.0
// A batch script and the #SBATCH lines in its head.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

inline constexpr std::size_t kScriptMax = 4 << 20;         // bytes, as Slurm's default
inline constexpr std::size_t kScriptArgumentsMax = 65536;  // of all #SBATCH lines together

// What sbatch itself would refuse to submit: empty, without "#!", DOS line breaks, NUL bytes, too
// large.
Status check_script(std::string_view script);

// The words of all #SBATCH lines up to the first line that is neither empty nor a comment. Quotes
// and backslashes work as in the shell; " #" ends a line. The error says which line is wrong.
// "#SBATCH hetjob" begins the next component of a heterogeneous job.
Result<std::vector<std::vector<std::string>>> script_components(std::string_view script);

// One line's words.
Result<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace ym::cli
