// SPDX-License-Identifier: Apache-2.0
// What a shell offers behind TAB, made of the option tables. Names of jobs, nodes and partitions
// come from the cluster at that moment, through squeue and sinfo.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/options.h"

namespace ym::cli {

enum class Shell : std::uint8_t { Bash, Zsh, Fish };
std::optional<Shell> parse_shell(std::string_view name);

// What stands behind an option or as an operand, as far as a shell can know it.
enum class Values : std::uint8_t { Unknown, Words, Jobs, Nodes, Partitions };
struct ValueSource {
  Values kind = Values::Unknown;
  std::vector<std::string> words;
};
// Words are those of an argument like yes|no.
ValueSource values_of(const OptionInfo& option);

struct CompletedCommand {
  std::string name;
  std::vector<OptionInfo> options;
  Values operands = Values::Unknown;  // Unknown: files
};

// One script for all of the commands.
std::string completion_script(Shell shell, const std::vector<CompletedCommand>& commands);

}  // namespace ym::cli
