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
  auto add = [&rows](const char* group, void (*subject)(std::vector<JobOption>&)) {
    std::size_t before = rows.size();
    subject(rows);
    for (std::size_t i = before; i < rows.size(); ++i) rows[i].option.info.group = group;
  };
  add("Whose job, and what it is called", add_identity_options);
  add("How much, and where", add_resource_options);
  add("Which nodes", add_layout_options);
  add("GPUs and other generic resources", add_generic_options);
  add("Tasks on sockets and cores", add_binding_options);
  add("What nodes must be like", add_machine_options);
  add("Time", add_time_options);
  add("Input and output", add_file_options);
  add("What tasks find", add_launch_options);
  add("In the queue", add_queue_options);
  add("This command", add_run_options);
  std::vector<Option<JobOptions>> out;
  for (JobOption& row : rows) {
    if (!(row.commands & command)) continue;
    row.option.info.variable = variable_for(command, row);
    if (row.other_variable && command != kSrun) row.option.info.other_variable = row.other_variable;
    row.option.info.in_script = command == kSbatch;
    out.push_back(std::move(row.option));
  }
  return out;
}

void JobOptions::give_memory(MemoryWish wish) {
  std::uint8_t now = static_cast<std::uint8_t>(source);
  for (std::uint8_t other = 0; other < 3; ++other) {
    if (other == static_cast<std::uint8_t>(wish)) continue;
    if (memory_given[other] >= now) continue;
    memory_given[other] = 0;
    if (other == static_cast<std::uint8_t>(MemoryWish::PerNode)) {
      spec.memory_per_node_mb = 0;
      specials.all_memory = false;
    }
    if (other == static_cast<std::uint8_t>(MemoryWish::PerCpu)) spec.memory_per_cpu_mb = 0;
    if (other == static_cast<std::uint8_t>(MemoryWish::PerGpu)) specials.memory_per_tres.clear();
  }
  memory_given[static_cast<std::uint8_t>(wish)] = now;
}

}  // namespace ym::cli
