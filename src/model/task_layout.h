// SPDX-License-Identifier: Apache-2.0
// How many tasks a node takes, and which task goes to which node. The same arithmetic serves the
// planner, the steps and the environment of jobs. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "model/launch.h"
#include "model/node.h"
#include "notation/distribution.h"

namespace ym {

// What matters of a node for counting tasks.
struct NodeShape {
  std::uint32_t threads = 1;  // CPUs of one core; 1 where CPUs= counts cores
  std::uint32_t sockets = 1;
  std::uint32_t cores_per_socket = 1;
};
NodeShape shape_of(const NodeSpec& node);

// In CPUs of such a node; at least 1.
std::uint32_t size_of(CpuUnit unit, const NodeShape& node);
// The whole units among so many CPUs, and those that hold so many; both in CPUs.
std::uint32_t whole_units_in(std::uint32_t cpus, CpuUnit unit, const NodeShape& node);
std::uint32_t whole_units_for(std::uint32_t cpus, CpuUnit unit, const NodeShape& node);

// What matters of a request.
struct TaskNeeds {
  std::uint32_t cpus_per_task = 1;
  std::uint32_t tasks_per_node = 0, tasks_per_socket = 0, tasks_per_core = 0;  // 0: no wish
  std::uint32_t threads_per_core = 0;                                          // 0: no wish
};
TaskNeeds needs_of(std::uint32_t cpus_per_task, std::uint32_t tasks_per_node,
                   const BindingWish& wish);

// Tasks that `cpus` CPUs of such a node take.
std::uint32_t tasks_that_fit(const TaskNeeds& needs, const NodeShape& node, std::uint32_t cpus);
// CPUs that so many tasks take there: whole cores if threads of a core stay unused.
// tasks_that_fit(cpus_for(n)) >= n as far as the wishes for nodes and sockets allow it.
std::uint32_t cpus_for(const TaskNeeds& needs, const NodeShape& node, std::uint32_t tasks);

// The ranks of each node, ascending; none if the tasks do not fit into `rooms` (tasks that each
// node takes). Every node with room gets a task as long as there are any. Block gives a node
// consecutive ranks, cyclic deals them out one by one, plane by so many; Pack fills node after
// node. Default is block.
using Ranks = std::vector<std::vector<std::uint32_t>>;
std::optional<Ranks> lay_out(const Distribution& distribution,
                             const std::vector<std::uint32_t>& rooms, std::uint32_t tasks);

// Only how many each node gets. O(nodes²) at worst, whatever the number of tasks.
std::optional<std::vector<std::uint32_t>> task_counts(const Distribution& distribution,
                                                      const std::vector<std::uint32_t>& rooms,
                                                      std::uint32_t tasks);

}  // namespace ym
