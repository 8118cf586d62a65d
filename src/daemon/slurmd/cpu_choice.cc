// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/cpu_choice.h"

#include <algorithm>

#include "base/text.h"
#include "notation/hostlist.h"
#include "os/environment_block.h"

namespace ym {
namespace {

agent::Topology topology_of(const Machine& machine) {
  agent::Topology out;
  for (const MachineCpu& cpu : machine.places)
    out.cpus.push_back({.number = cpu.number,
                        .socket = cpu.socket,
                        .core = cpu.core,
                        .thread = cpu.thread,
                        .numa = cpu.numa});
  return out;
}

// Several nodes on one machine, for tests and demonstrations, would all take the same CPUs.
bool shares_machine(const NodeSpec& node, const ClusterConfig& config) {
  auto host = [](const NodeSpec& one) { return one.hostname.empty() ? one.name : one.hostname; };
  return std::ranges::count_if(
             config.nodes, [&](const NodeSpec& other) { return host(other) == host(node); }) > 1;
}

agent::CpuBook book_for(const agent::Topology& topology, const NodeSpec& node,
                        const ClusterConfig& config) {
  if (shares_machine(node, config)) return {};
  auto withheld = parse_cpu_list(node.cpu_spec_list);
  return agent::CpuBook({.topology = topology,
                         .configured = node.cpus,
                         .withheld = withheld ? *withheld : CpuNumbers{},
                         .withheld_cores = node.core_spec_count});
}

std::uint32_t count_for(const std::string& nodes, const std::vector<std::uint32_t>& counts,
                        const std::string& node) {
  auto list = Hostlist::parse(nodes);
  auto place = list ? list->find(node) : std::nullopt;
  return place && *place < counts.size() ? counts[*place] : 0;
}

}  // namespace

CpuWish cpu_wish(const LaunchJob& job, const std::string& node) {
  return {.job_cpus = count_for(job.nodes, job.cpus, node),
          .job_row = count_for(job.nodes, job.rows, node),
          .tasks_are_bound = false};
}

CpuWish cpu_wish(const StepCredential& credential, const BindingWish& binding,
                 const std::string& node) {
  CpuWish wish{.job_cpus = count_for(credential.job_nodes, credential.job_cpus, node),
               .job_row = count_for(credential.job_nodes, credential.job_rows, node),
               .cpus_per_task = credential.step.cpus_per_task,
               .overlap = credential.step.overlap,
               .binding = binding};
  auto place = std::ranges::find(credential.node_names, node) - credential.node_names.begin();
  if (static_cast<std::size_t>(place) < credential.step.shares.size())
    wish.cpus = credential.step.shares[static_cast<std::size_t>(place)].cpus;
  wish.job_cpus = std::max(wish.job_cpus, wish.cpus);
  return wish;
}

CpuChoice::CpuChoice(const Machine& machine, const NodeSpec& node, const ClusterConfig& config,
                     bool root)
    : topology_(topology_of(machine)), root_(root), book_(book_for(topology_, node, config)) {
  set_rules(config);
}

void CpuChoice::set_rules(const ClusterConfig& config) {
  bool named = to_lower(config.task_plugin).find("affinity") != std::string::npos;
  rules_ = agent::binding_rules(config.task_plugin, config.task_plugin_params,
                                book_.chooses() && (root_ || named));
}

void CpuChoice::give(ShepherdOrder& order, const CpuWish& wish, const agent::Agent& agent) {
  book_.give_back([&](Sluid sluid) { return sluid != order.sluid && agent.attempt_over(sluid); },
                  [&](Sluid sluid, StepId step) { return agent.step_over(sluid, step); });
  CpuNumbers job = book_.attempt(
      order.sluid, {.count = wish.job_cpus, .near = wish.near_cores, .row = wish.job_row});
  CpuNumbers mine = wish.cpus ? book_.step(order.sluid, order.step, wish.cpus, wish.overlap) : job;
  order.job_cpus = print_cpu_list(job);
  order.job_row = wish.job_row;
  order.cpus = print_cpu_list(mine);
  if (!wish.tasks_are_bound) {
    if (rules_.automatic)
      for (TaskOrder& task : order.tasks) task.cpus = order.cpus;
    return;
  }
  agent::BindingRequest request{.topology = topology_,
                                .cpus = mine,
                                .cpus_per_task = wish.cpus_per_task,
                                .wish = wish.binding,
                                .node = order.node};
  for (const TaskOrder& task : order.tasks) request.ranks.push_back(task.rank);
  agent::StepBinding binding = agent::bind_step(request, rules_);
  for (std::size_t i = 0; i < order.tasks.size(); ++i) {
    TaskOrder& task = order.tasks[i];
    task.cpus = print_cpu_list(binding.tasks[i].cpus);
    task.mem_nodes = print_cpu_list(binding.tasks[i].mem_nodes);
    task.mem_policy = binding.tasks[i].mem_policy;
    task.notice = std::move(binding.tasks[i].notice);
  }
  EnvironmentBlock environment(order.environment);
  for (const auto& [name, value] : binding.environment) {
    if (value.empty())
      environment.remove(name);
    else
      environment.set(name, value);
  }
  order.environment = environment.bytes();
}

CpuNumbers CpuChoice::cores_of(const std::string& cpus) const {
  auto numbers = parse_cpu_list(cpus);
  return numbers ? book_.cores(*numbers) : CpuNumbers{};
}

void CpuChoice::adopt(const ShepherdOrder& order, bool alive) {
  auto job = parse_cpu_list(order.job_cpus), mine = parse_cpu_list(order.cpus);
  if (!job || !mine || job->empty()) return;
  book_.adopt(order.sluid, order.step, {*job, order.job_row}, alive ? *mine : *job);
}

}  // namespace ym
