// SPDX-License-Identifier: Apache-2.0
// What the job reads and writes.
#include "cli/options/setters.h"

namespace ym::cli {
namespace {

Status set_open_mode(JobOptions& options, std::string_view value) {
  if (value.empty()) return fail("neither append nor truncate");
  bool append = starts_with_ignoring_case("append", value);
  if (!append && !starts_with_ignoring_case("truncate", value))
    return fail("neither append nor truncate");
  options.spec.append_output = append;
  return {};
}

}  // namespace

void add_file_options(std::vector<JobOption>& table) {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "output",
                           .letter = 'o',
                           .takes = Takes::Value,
                           .argument = "FILE",
                           .help = "Standard output; %j is the job, %t the task, %N the node",
                           .variable = "OUTPUT"},
                  .set = set_text<&JobOptions::std_out>},
       .commands = kSbatch | kSrun,
       .srun_variable = "SLURM_STDOUTMODE"},
      {.option = {.info = {.name = "error",
                           .letter = 'e',
                           .takes = Takes::Value,
                           .argument = "FILE",
                           .help = "Standard error; with the output if not given",
                           .variable = "ERROR"},
                  .set = set_text<&JobOptions::std_err>},
       .commands = kSbatch | kSrun,
       .srun_variable = "SLURM_STDERRMODE"},
      {.option = {.info = {.name = "input",
                           .letter = 'i',
                           .takes = Takes::Value,
                           .argument = "FILE",
                           .help = "Standard input",
                           .variable = "INPUT"},
                  .set = set_text<&JobOptions::std_in>},
       .commands = kSbatch | kSrun,
       .srun_variable = "SLURM_STDINMODE"},
      {.option = {.info = {.name = "open-mode",
                           .takes = Takes::Value,
                           .argument = "MODE",
                           .help = "append to files, or truncate them",
                           .variable = "OPEN_MODE"},
                  .set = set_open_mode},
       .commands = kSbatch | kSrun},
  };
  table.insert(table.end(), std::begin(kRows), std::end(kRows));
}

}  // namespace ym::cli
