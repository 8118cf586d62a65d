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
enum class Values : std::uint8_t {
  Unknown,
  Words,
  Jobs,
  JobNames,
  Nodes,
  Partitions,
  Reservations
};
struct ValueSource {
  Values kind = Values::Unknown;
  std::vector<std::string> words;
};
// Words are those of an argument like yes|no.
ValueSource values_of(const OptionInfo& option);

// What comes behind operands that fit the pattern of a shell: "show job*" for `scontrol show job
// 7`,
// "" for the first one. A pattern that ends with = is that of a key, wherever it stands:
// "node*=" for `scontrol update NodeName=n1`.
struct OperandRule {
  std::string before;
  ValueSource values;
};

struct CompletedCommand {
  std::string name;
  std::vector<OptionInfo> options;
  std::vector<OperandRule> operands;  // the first that fits counts; none: files
};

// One script for all of the commands.
std::string completion_script(Shell shell, const std::vector<CompletedCommand>& commands);

}  // namespace ym::cli
