// SPDX-License-Identifier: Apache-2.0
// Lines of other batch systems in a script: #PBS and #BSUB. They are read as Slurm reads them, and
// become options of sbatch.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

struct ForeignLines {
  std::vector<std::string> words;      // of sbatch; those of #BSUB lines stand last, so they win
  std::vector<std::string> variables;  // -v of PBS: they are added to what --export says
  std::optional<std::uint32_t> umask;
};

// Codes of the errors, beside 0.
inline constexpr std::uint32_t kForeignOption = 0x59000021;  // text is getopt's

bool has_foreign_lines(std::string_view script);
// Of the whole script: unlike #SBATCH lines, they may stand behind the first command.
Result<ForeignLines> foreign_lines(std::string_view script);

}  // namespace ym::cli
