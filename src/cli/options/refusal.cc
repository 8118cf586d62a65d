// SPDX-License-Identifier: Apache-2.0
#include "cli/options/refusal.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/options/gres_counts.h"
#include "model/core_spec.h"
#include "model/errc.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

std::string_view failure_of(JobCommand command) {
  switch (command) {
    case kSbatch: return "Batch job submission failed";
    case kSalloc: return "Job submit/allocate failed";
    default: return "Unable to allocate resources";
  }
}

std::string_view shown(const MainConfig& config, std::string_view key) {
  for (const auto& [name, value] : config.shown)
    if (name == key) return value;
  return {};
}

// "gpu" of "gpu:tesla:2", of each part of a list.
void add_names(std::vector<std::string>& names, std::string_view list) {
  for (std::string_view one : split_words(list, ',')) {
    if (one.starts_with("gres/")) one.remove_prefix(5);
    names.emplace_back(one.substr(0, one.find_first_of(":=")));
  }
}

// What a variable says, if it is the number of an exit code.
int exit_by(const char* variable) {
  auto code = parse_unsigned<std::uint8_t>(environment_variable(variable).value_or(""));
  return code ? *code : 1;
}

}  // namespace

int error_exit() { return exit_by("SLURM_EXIT_ERROR"); }

std::string_view name_of(JobCommand command) {
  return command == kSbatch ? "sbatch" : command == kSalloc ? "salloc" : "srun";
}

int tell_refusal(JobCommand command, const Error& error) {
  std::string_view name = name_of(command);
  if (error.code == kFatal) {
    remark(name, fmt::format("fatal: {}", error.text));
    return 1;
  }
  bool plain = error.code == 0 || error.code == kWholeText || error.code == kWholeTextOne;
  std::string_view failure = failure_of(error.code == kNotAtOnce ? kSrun : command);
  complain(name, plain ? error.text : fmt::format("{}: {}", failure, error.text));
  if (error.code == kWholeText) return kBadLineExit;
  return error.code == kNotAtOnce ? exit_by("SLURM_EXIT_IMMEDIATE") : error_exit();
}

std::vector<std::string> lines_before_refusal(const Error& error, const JobSpec& spec,
                                              const ClusterConfig& config) {
  if (is(error, Errc::InvalidPartition)) {
    for (std::string_view name : split_words(spec.partitions, ',')) {
      bool known = std::ranges::any_of(config.partitions, [&](const PartitionSpec& partition) {
        return partition.name == name;
      });
      if (!known) return {fmt::format("invalid partition specified: {}", printable(name))};
    }
    return {};
  }
  if (!is(error, Errc::RequestedNodeConfigUnavailable)) return {};
  std::uint64_t cpus = 0, memory = 0;
  for (const NodeSpec& node : config.nodes) {
    cpus = std::max<std::uint64_t>(cpus, node.cpus);
    memory = std::max<std::uint64_t>(memory, node.memory_mb);
  }
  std::uint64_t wanted = std::uint64_t{spec.cpus_per_task} * std::max(1u, spec.tasks_per_node);
  if (std::max<std::uint64_t>(wanted, spec.min_cpus_per_node) > cpus)
    return {"CPU count per node can not be satisfied"};
  if (std::max(spec.memory_per_node_mb, spec.memory_per_cpu_mb) > memory)
    return {"Memory specification can not be satisfied"};
  return {};
}

std::vector<std::string> lines_before_refusal(const Error& error, const SubmitJob& request,
                                              const ClusterConfig& config) {
  std::vector<std::string> lines = lines_before_refusal(error, request.spec, config);
  for (const JobSpec& other : request.het)
    if (lines.empty()) lines = lines_before_refusal(error, other, config);
  return lines;
}

std::string what_is_ignored(const JobOptions& options, const MainConfig& config) {
  if (options.extras.core_spec == kNoCoreSpec || may_spare_cores(config)) return {};
  return "Ignoring -S since it's not allowed by configuration (AllowSpecResourcesUsage = No)";
}

Status check_against(const JobOptions& options, const MainConfig& config) {
  if (!options.clusters.empty()) {
    auto names = split_words(options.clusters, ',');
    bool ours = std::ranges::any_of(names, [&](std::string_view name) {
      return name == config.cluster_name || same_ignoring_case(name, "all");
    });
    if (!ours)
      return fail(
          fmt::format("'{}' can't be reached now, or it is an invalid entry for --cluster.  "
                      "Use 'sacctmgr list clusters' to see available clusters.",
                      printable(options.clusters)));
  }
  if (options.x11 && options.jobid == 0 && !config.prolog_flags.x11)
    return fail(kLikeController, "X11 forwarding not available");
  if (!wants_generic_resources(options)) return {};
  std::vector<std::string> names;
  const JobSpecials& wish = options.specials;
  for (const std::string* list :
       {&options.extras.gres, &wish.tres_per_job, &wish.tres_per_node, &wish.tres_per_socket,
        &wish.tres_per_task, &wish.cpus_per_tres, &wish.memory_per_tres})
    add_names(names, *list);
  if (wish.tasks_per_tres) names.emplace_back("gpu");
  auto types = split_words(shown(config, "GresTypes"), ',');
  for (const std::string& name : names)
    if (std::ranges::find(types, std::string_view(name)) == types.end())
      return fail("Invalid generic resource (gres) specification");
  return check_gres(options, options.jobid != 0);
}

}  // namespace ym::cli
