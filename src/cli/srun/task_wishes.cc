// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/task_wishes.h"

#include "base/format.h"
#include "cli/common/limits.h"
#include "cli/options/exports.h"
#include "model/binding_variables.h"
#include "model/container_variables.h"
#include "notation/gpu_freq.h"

namespace ym::cli {
namespace {

// The tasks may run in another folder.
std::string absolute(const std::string& program, const std::string& folder) {
  bool relative =
      !program.empty() && !program.starts_with('/') && program.find('/') != std::string::npos;
  return relative ? folder + "/" + program : program;
}

// How the tasks are laid out, for those that they start in turn.
void set_layout(EnvironmentBlock& environment, const JobOptions& options) {
  std::string distribution = options.extras.binding.distribution;
  if (!distribution.empty()) environment.remove("SLURM_DIST_PLANESIZE");
  for (const auto& [name, value] : binding_variables({.distribution = std::move(distribution)}))
    environment.set(name, value);
  environment.remove("SLURM_NTASKS_PER_NODE");  // may be one that was dropped
  if (options.tasks_per_node) environment.set("SLURM_NTASKS_PER_NODE", *options.tasks_per_node);
}

}  // namespace

std::string gpu_freq_of(const JobOptions& options) {
  return std::string(gpu_freq_in(options.specials.tres_freq));
}

Status add_task_wishes(LaunchTasks& launch, const JobOptions& options,
                       const SubmissionContext& context, const MainConfig& config) {
  auto limits = own_limits(options, config);
  if (!limits) return std::unexpected(limits.error());
  launch.limits = std::move(*limits);
  launch.acct_frequency = options.extras.acct_frequency;
  launch.task_prolog = absolute(options.task_prolog, context.work_dir);
  launch.task_epilog = absolute(options.task_epilog, context.work_dir);
  EnvironmentBlock environment = exported_environment(options.export_list, context.environment);
  environment.set("SLURM_UMASK", fmt::format("{:04o}", context.umask));
  environment.set("SLURM_PRIO_PROCESS", fmt::format("{}", context.nice));
  set_layout(environment, options);
  if (options.verbose) environment.set("SRUN_DEBUG", fmt::format("{}", 3 + options.verbose));
  if (std::string freq = gpu_freq_of(options); !freq.empty())
    environment.set("SLURM_GPU_FREQ", freq);
  if (!options.extras.network.empty()) environment.set("SLURM_NETWORK", options.extras.network);
  if (!options.specials.cpu_freq.empty())
    environment.set("SLURM_CPU_FREQ_REQ", options.specials.cpu_freq);
  for (const auto& [name, value] : container_variables(options.extras, options.specials))
    environment.set(name, value);
  if (options.preserve_env) environment.set_default("SLURM_PRESERVE_ENV", "once");
  launch.environment = environment.bytes();
  return {};
}

}  // namespace ym::cli
