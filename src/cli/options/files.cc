// SPDX-License-Identifier: Apache-2.0
// Where the job runs, reads and writes, and what it inherits.
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
  const std::vector<JobOption> rows = {
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
      {.option = {.info = {.name = "chdir",
                           .letter = 'D',
                           .takes = Takes::Value,
                           .argument = "FOLDER",
                           .help = "Working directory",
                           .variable = ""},
                  .set = set_text<&JobOptions::chdir>},
       .srun_variable = "SLURM_WORKING_DIR"},
      {.option = {.info = {.name = "export",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Environment: ALL, NONE, or variables, NAME or NAME=VALUE",
                           .variable = "EXPORT"},
                  .set = set_text<&JobOptions::export_list>},
       .commands = kSbatch | kSrun,
       .srun_variable = "SLURM_EXPORT_ENV"},
      {.option = {.info = {.name = "get-user-env",
                           .takes = Takes::Maybe,
                           .argument = "TIMEOUT",
                           .help = "The environment of a fresh login; taken, without effect",
                           .variable = "GET_USER_ENV"},
                  .set = accept},
       .commands = kSbatch},
      {.option = {.info = {.name = "propagate",
                           .takes = Takes::Maybe,
                           .argument = "LIMITS",
                           .help = "Hand on resource limits; taken, without effect"},
                  .set = accept}},
  };
  table.insert(table.end(), rows.begin(), rows.end());
}

}  // namespace ym::cli
