// SPDX-License-Identifier: Apache-2.0
// From what a step wishes for (--cpu-bind, --mem-bind, --distribution) and the CPUs that it has on
// this node to what each of its tasks is bound to. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/topology.h"
#include "model/launch.h"
#include "notation/binding.h"

namespace ym::agent {

// Linux's numbers (MPOL_*).
inline constexpr std::uint8_t kMemDefault = 0, kMemPreferred = 1, kMemBind = 2;
// In a task's notice, this stands for its process id.
inline constexpr std::string_view kNoticePid = "%p";

// TaskPlugin and TaskPluginParam.
struct BindingRules {
  bool enabled = true;                       // are wishes obeyed?
  bool automatic = true;                     // is there binding without a wish?
  CpuBindKind usual = CpuBindKind::Auto;     // instead of what fits: cores, threads, sockets, none
  CpuBindKind fallback = CpuBindKind::None;  // autobind=: where nothing fits
  bool verbose = false;
};
// The plugins as configured, empty if not; `real`: the node has the CPUs that it says it has and
// runs as root.
BindingRules binding_rules(const std::string& task_plugin, const std::string& params, bool real);

struct BindingRequest {
  const Topology& topology;
  CpuNumbers cpus;                   // of the step here; empty: none were chosen
  std::vector<std::uint32_t> ranks;  // of its tasks here
  std::uint32_t cpus_per_task = 1;
  BindingWish wish;
  std::string node;
};

struct TaskBinding {
  CpuNumbers cpus;       // empty: not bound
  CpuNumbers mem_nodes;  // empty: not bound
  std::uint8_t mem_policy = kMemDefault;
  std::string notice;
};
struct StepBinding {
  std::vector<TaskBinding> tasks;
  // SLURM_CPU_BIND and its relatives; those that must not be inherited are here without a value.
  std::vector<std::pair<std::string, std::string>> environment;
};

// Never fails: a wish that makes no sense here (it was checked where it came in) is no wish.
StepBinding bind_step(const BindingRequest& request, const BindingRules& rules);

// The CPUs for each of `tasks` tasks, laid over sockets and cores as the distribution says; used
// again where there are too few. Exposed for its tests.
std::vector<CpuNumbers> deal_cpus(const std::vector<Cpu>& pool, std::uint32_t tasks,
                                  std::uint32_t cpus_per_task, const std::string& distribution);

}  // namespace ym::agent
