// SPDX-License-Identifier: Apache-2.0
// What a shell or a launcher within an allocation finds in its environment.
#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "cli/common/allocation.h"
#include "model/binding_variables.h"
#include "model/container_variables.h"
#include "model/gres_request.h"
#include "model/sharing_variables.h"

namespace ym::cli {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;
constexpr const char* kLauncherArguments = "--external-launcher";

// What was asked for, as far as it was.
void add_requests(Variables& out, const JobSpec& spec, Sharing sharing) {
  const JobExtras& extras = *spec.extras;
  auto add_text = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  };
  for (auto& variable : binding_variables(extras.binding)) out.push_back(std::move(variable));
  for (auto& variable : gres_variables(*extras.specials)) out.push_back(std::move(variable));
  for (auto& variable : sharing_variables(spec, sharing)) out.push_back(std::move(variable));
  add_text("SLURM_JOB_RESERVATION", extras.reservation);
  add_text("SLURM_JOB_LICENSES", extras.licenses);
  add_text("SLURM_JOB_EXTRA", extras.extra);
  if (spec.overcommit) out.emplace_back("SLURM_OVERCOMMIT", "1");
}

// Launchers of MPI libraries start their processes by srun.
void add_launchers(Variables& out) {
  out.emplace_back("HYDRA_BOOTSTRAP", "slurm");
  out.emplace_back("HYDRA_LAUNCHER_EXTRA_ARGS", kLauncherArguments);
  out.emplace_back("I_MPI_HYDRA_BOOTSTRAP", "slurm");
  out.emplace_back("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", kLauncherArguments);
  out.emplace_back("OMPI_MCA_plm_slurm_args", kLauncherArguments);
  out.emplace_back("PRTE_MCA_plm_slurm_args", kLauncherArguments);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> allocation_variables(
    const JobRow& row, const JobOptions& options, const std::string& cluster,
    const std::string& submit_dir) {
  const Job& job = row.job;
  const JobSpec& spec = *job.spec;
  std::vector<std::uint32_t> cpus;
  for (const NodeShare& share : job.allocation->nodes) cpus.push_back(share.cpus);
  std::string id = fmt::format("{}", job.id.value), count = fmt::format("{}", cpus.size());
  std::vector<std::pair<std::string, std::string>> out = {
      {"SLURM_JOB_ID", id},
      {"SLURM_JOBID", id},
      {"SLURM_JOB_NAME", spec.name},
      {"SLURM_JOB_NODELIST", row.nodes},
      {"SLURM_NODELIST", row.nodes},
      {"SLURM_JOB_NUM_NODES", count},
      {"SLURM_NNODES", count},
      {"SLURM_JOB_PARTITION", row.partition},
      {"SLURM_JOB_CPUS_PER_NODE", repeat_counts(cpus)},
      {"SLURM_TASKS_PER_NODE",
       repeat_counts(tasks_per_node(tasks_on(spec, cpus.size()), spec.cpus_per_task, cpus))},
      {"SLURM_CLUSTER_NAME", cluster},
      {"SLURM_SUBMIT_DIR", submit_dir},
      {"SLURM_SUBMIT_HOST", spec.submit_host},
      {"SLURM_JOB_USER", spec.user_name},
      {"SLURM_JOB_UID", fmt::format("{}", spec.uid.value)},
      {"SLURM_JOB_GID", fmt::format("{}", spec.gid.value)},
      {"SLURM_JOB_START_TIME", fmt::format("{}", job.start.unix_seconds())},
  };
  if (job.limit_end && job.limit_end < kNever)
    out.emplace_back("SLURM_JOB_END_TIME", fmt::format("{}", job.limit_end.unix_seconds()));
  if (!spec.account.empty()) out.emplace_back("SLURM_JOB_ACCOUNT", spec.account);
  if (!spec.qos.empty()) out.emplace_back("SLURM_JOB_QOS", spec.qos);
  if (!options.dependency.empty()) out.emplace_back("SLURM_JOB_DEPENDENCY", options.dependency);
  if (options.tasks) {
    out.emplace_back("SLURM_NTASKS", fmt::format("{}", spec.tasks));
    out.emplace_back("SLURM_NPROCS", fmt::format("{}", spec.tasks));
  }
  if (options.cpus_per_task)
    out.emplace_back("SLURM_CPUS_PER_TASK", fmt::format("{}", spec.cpus_per_task));
  if (options.tasks_per_node)
    out.emplace_back("SLURM_NTASKS_PER_NODE", fmt::format("{}", spec.tasks_per_node));
  if (spec.memory_per_node_mb)
    out.emplace_back("SLURM_MEM_PER_NODE", fmt::format("{}", spec.memory_per_node_mb));
  if (spec.memory_per_cpu_mb)
    out.emplace_back("SLURM_MEM_PER_CPU", fmt::format("{}", spec.memory_per_cpu_mb));
  if (!options.specials.cpu_freq.empty())
    out.emplace_back("SLURM_CPU_FREQ_REQ", options.specials.cpu_freq);
  if (!options.extras.network.empty()) out.emplace_back("SLURM_NETWORK", options.extras.network);
  for (const auto& one : container_variables(options.extras, options.specials)) out.push_back(one);
  add_requests(out, spec, row.sharing);
  add_launchers(out);
  return out;
}

namespace {

// What is the same for all components, and so has no number behind it.
bool of_all(std::string_view name) {
  constexpr std::string_view kOfAll[] = {
      "SLURM_CLUSTER_NAME", "SLURM_SUBMIT_DIR", "SLURM_SUBMIT_HOST",   "SLURM_JOB_USER",
      "SLURM_JOB_UID",      "SLURM_JOB_GID",    "SLURM_JOB_START_TIME"};
  return !name.starts_with("SLURM_") || std::ranges::find(kOfAll, name) != std::end(kOfAll);
}

}  // namespace

void set_allocation_variables(const Granted& granted, const std::vector<JobOptions>& components,
                              const std::string& cluster, const std::string& submit_dir) {
  bool alone = granted.rows.size() == 1;
  for (std::size_t i = 0; i < granted.rows.size(); ++i)
    for (const auto& [name, value] :
         allocation_variables(granted.rows[i], components[i], cluster, submit_dir)) {
      std::string shown = alone || of_all(name) ? name : fmt::format("{}_HET_GROUP_{}", name, i);
      ::setenv(shown.c_str(), value.c_str(), 1);
    }
  if (alone) return;
  std::string id = fmt::format("{}", granted.job.value);
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"}) ::setenv(name, id.c_str(), 1);
  ::setenv("SLURM_HET_SIZE", fmt::format("{}", granted.rows.size()).c_str(), 1);
}

}  // namespace ym::cli
