// SPDX-License-Identifier: Apache-2.0
#include "cli/options/job_options.h"

namespace ym::cli {
namespace {

constexpr std::size_t kTypicalRows = 256;

void set_variable(JobCommand command, const JobOption& row, OptionInfo& info) {
  info.variable_prefix = command == kSbatch ? "SBATCH_" : command == kSalloc ? "SALLOC_" : "SLURM_";
  info.other_variable = command == kSrun ? row.srun_other : row.other_variable;
  if (command != kSrun) return;
  if (row.srun_variable) {
    info.variable = row.srun_variable;
    info.variable_prefix = "";
  }
}

template <JobCommand Command>
const KnownOptions<JobOptions>& known_to() {
  static const KnownOptions<JobOptions> known(job_option_table(Command), Refusals::Slurm);
  return known;
}

}  // namespace

std::vector<Option<JobOptions>> job_option_table(JobCommand command) {
  std::vector<JobOption> rows;
  rows.reserve(kTypicalRows);
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
  out.reserve(kTypicalRows);
  for (JobOption& row : rows) {
    if (!(row.commands & command)) continue;
    set_variable(command, row, row.option.info);
    row.option.info.in_script = command == kSbatch;
    out.push_back(row.option);
  }
  return out;
}

const KnownOptions<JobOptions>& known_job_options(JobCommand command) {
  switch (command) {
    case kSbatch: return known_to<kSbatch>();
    case kSalloc: return known_to<kSalloc>();
    default: return known_to<kSrun>();
  }
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
