// SPDX-License-Identifier: Apache-2.0
#include "cli/options/job_options.h"

namespace ym::cli {
namespace {

std::string variable_for(JobCommand command, const JobOption& row) {
  const std::string& common = row.option.info.variable;
  switch (command) {
    case kSbatch: return common.empty() ? "" : "SBATCH_" + common;
    case kSalloc: return common.empty() ? "" : "SALLOC_" + common;
    default: break;
  }
  if (row.srun_variable) return row.srun_variable;
  return common.empty() ? "" : "SLURM_" + common;
}

}  // namespace

std::vector<Option<JobOptions>> job_option_table(JobCommand command) {
  std::vector<JobOption> rows;
  add_identity_options(rows);
  add_resource_options(rows);
  add_binding_options(rows);
  add_machine_options(rows);
  add_time_options(rows);
  add_file_options(rows);
  add_launch_options(rows);
  add_queue_options(rows);
  add_run_options(rows);
  std::vector<Option<JobOptions>> out;
  for (JobOption& row : rows) {
    if (!(row.commands & command)) continue;
    row.option.info.variable = variable_for(command, row);
    row.option.info.in_script = command == kSbatch;
    out.push_back(std::move(row.option));
  }
  return out;
}

}  // namespace ym::cli
