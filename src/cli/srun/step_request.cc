// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/step_request.h"

#include <algorithm>

#include "base/format.h"
#include "cli/options/gres_counts.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

// How many different nodes --nodelist names.
std::uint32_t named_nodes(const JobOptions& options) {
  auto hosts = Hostlist::parse(options.extras.required_nodes);
  return hosts ? static_cast<std::uint32_t>(hosts->uniq().count()) : 0;
}

// Each of the hosts for so many tasks as it stands there; the controller follows the list.
void follow_hosts(CreateStep& out, const std::string& hosts) {
  out.node_list = hosts;
  out.binding.distribution = "arbitrary";
  if (!out.tasks) out.tasks = static_cast<std::uint32_t>(Hostlist::parse(hosts)->count());
}

// The nodes of a step within a job that others have made.
void choose_nodes(CreateStep& out, const JobOptions& options) {
  out.nodes = options.min_nodes.value_or(0);
  out.max_nodes = options.min_nodes ? options.max_nodes.value_or(0) : 0;
  out.node_list = options.extras.required_nodes;
  out.excluded_nodes = options.extras.excluded_nodes;
  out.features = options.extras.features;
  if (!options.hosts.empty()) return follow_hosts(out, options.hosts);
  std::uint32_t known = out.nodes;
  if (!known) known = out.node_list.empty() ? options.soft_nodes.value_or(0) : named_nodes(options);
  if (!options.min_nodes && out.node_list.empty()) out.max_nodes = options.soft_nodes.value_or(0);
  if (out.tasks_per_node && !out.tasks) out.tasks = out.tasks_per_node * known;
  if (out.tasks) out.nodes = std::min(out.nodes, out.tasks);
}

}  // namespace

GresOptions step_gres_of(const JobOptions& options) {
  GresOptions gres = gres_options_of(options);
  if (options.gpus_inherited) gres.per_job.clear();
  return gres;
}

CreateStep step_request(const JobOptions& options, JobId job, bool own_allocation) {
  bool exact = options.exact || options.exclusive_cpus || options.cpus_per_task;
  CreateStep out{.job = job,
                 .name = options.spec.name,
                 .tasks = options.tasks.value_or(0),
                 .cpus_per_task = options.cpus_per_task.value_or(cpus_by_gpus(options)),
                 .tasks_per_node = options.tasks_per_node.value_or(0),
                 .memory_per_node_mb = own_allocation ? 0 : options.spec.memory_per_node_mb,
                 .overlap = options.overlap || options.external_launcher,
                 .overcommit = options.spec.overcommit,
                 .whole = options.whole || !exact,
                 .binding = options.extras.binding,
                 .no_kill = options.spec.no_kill,
                 .ports = options.specials.reserved_ports,
                 .container = options.extras.container};
  if (own_allocation) {
    if (!options.hosts.empty()) follow_hosts(out, options.hosts);
    return out;
  }
  GresOptions gres = step_gres_of(options);
  if (!(gres == GresOptions{})) out.gres = Ref(std::move(gres));
  if (auto tasks = tasks_by_gpus(options); tasks && !out.tasks) out.tasks = *tasks;
  if (options.spec.time_limit_s != JobSpec::kUnlimited)
    out.time_limit_s = options.spec.time_limit_s;
  choose_nodes(out, options);
  return out;
}

std::optional<std::string> shorten_node_list(JobOptions& options) {
  auto hosts = Hostlist::parse(options.extras.required_nodes);
  if (!hosts || !options.max_nodes || !options.hosts.empty()) return std::nullopt;
  std::uint64_t count = hosts->uniq().count();
  if (count <= *options.max_nodes) return std::nullopt;
  Hostlist kept;  // in the order of the list, which may name a node twice
  hosts->for_each([&](std::string_view name) {
    if (kept.count() < *options.max_nodes && !kept.contains(name)) kept.push_back(name);
  });
  options.extras.required_nodes = kept.str();
  return fmt::format(
      "Required nodelist includes more nodes than permitted by max-node count ({} > {}). "
      "Eliminating nodes from the nodelist.",
      count, *options.max_nodes);
}

std::optional<std::string> settle_tasks_per_node(JobOptions& options) {
  if (!options.tasks || !options.tasks_per_node) return std::nullopt;
  std::uint32_t nodes =
      options.min_nodes ? options.max_nodes.value_or(*options.min_nodes) : named_nodes(options);
  if (!nodes) nodes = options.soft_nodes.value_or(0);
  std::uint32_t each = *options.tasks_per_node;
  if (!nodes || *options.tasks <= std::uint64_t{nodes} * each) return std::nullopt;
  options.tasks_per_node.reset();
  return fmt::format(
      "Warning: can't honor --ntasks-per-node set to {} which doesn't match the requested tasks {} "
      "with the number of requested nodes {}. Ignoring --ntasks-per-node.",
      each, *options.tasks, nodes);
}

}  // namespace ym::cli
