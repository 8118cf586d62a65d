// SPDX-License-Identifier: Apache-2.0
#include "model/task_layout.h"

#include <algorithm>
#include <numeric>

namespace ym {
namespace {

std::uint32_t divided_up(std::uint64_t what, std::uint64_t by) {
  return static_cast<std::uint32_t>((what + by - 1) / by);
}

// Threads of a core that the request uses.
std::uint32_t used_threads(const TaskNeeds& needs, const NodeShape& node) {
  return needs.threads_per_core ? std::min(needs.threads_per_core, node.threads) : node.threads;
}

// Do tasks take whole cores, because they must not share them or leave threads idle?
bool by_cores(const TaskNeeds& needs, const NodeShape& node) {
  return used_threads(needs, node) < node.threads ||
         (needs.tasks_per_core && needs.tasks_per_core < node.threads);
}

using Counts = std::vector<std::uint32_t>;

// One task for each node that has room, as long as there are some; `tasks` is what is left.
Counts one_for_each(const Counts& rooms, std::uint32_t& tasks) {
  Counts counts(rooms.size(), 0);
  for (std::size_t i = 0; i < rooms.size() && tasks > 0; ++i) {
    if (rooms[i] == 0) continue;
    counts[i] = 1;
    --tasks;
  }
  return counts;
}

// `plane` to each in turn, as long as a node has room; the last ones get less in the first turn
// rather than nothing.
Counts dealt_out(const Counts& rooms, std::uint32_t tasks, std::uint32_t plane) {
  Counts counts = one_for_each(rooms, tasks);
  auto give = [&](std::size_t i, std::uint64_t most) {
    auto more = static_cast<std::uint32_t>(
        std::min({most, std::uint64_t{rooms[i] - counts[i]}, std::uint64_t{tasks}}));
    counts[i] += more;
    tasks -= more;
  };
  for (std::size_t i = 0; i < rooms.size(); ++i) give(i, plane - 1);
  while (tasks > 0) {
    // As many rounds at once as every node with room has room for; else a round that fills one.
    std::uint64_t open = 0, least = 0xffffffff;
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      if (counts[i] >= rooms[i]) continue;
      ++open;
      least = std::min<std::uint64_t>(least, (rooms[i] - counts[i]) / plane);
    }
    std::uint64_t rounds = std::max<std::uint64_t>(1, std::min(least, tasks / (open * plane)));
    for (std::size_t i = 0; i < rooms.size(); ++i) give(i, rounds * plane);
  }
  return counts;
}

// Node after node, yet one for each.
Counts packed(const Counts& rooms, std::uint32_t tasks) {
  Counts counts = one_for_each(rooms, tasks);
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    std::uint32_t more = std::min(rooms[i] - counts[i], tasks);
    counts[i] += more;
    tasks -= more;
  }
  return counts;
}

Ranks in_blocks(const Counts& counts) {
  Ranks ranks(counts.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::uint32_t n = 0; n < counts[i]; ++n) ranks[i].push_back(next++);
  return ranks;
}

// In turns of `plane` ranks, as many on each node as `rooms` says.
Ranks in_turns(const Counts& rooms, std::uint32_t tasks, std::uint32_t plane) {
  Ranks ranks(rooms.size());
  for (std::uint32_t next = 0; next < tasks;)
    for (std::size_t i = 0; i < rooms.size(); ++i)
      for (std::uint32_t n = 0; n < plane && next < tasks && ranks[i].size() < rooms[i]; ++n)
        ranks[i].push_back(next++);
  return ranks;
}

}  // namespace

NodeShape shape_of(const NodeSpec& node) {
  return {.threads = node.cpus_per_core(),
          .sockets = std::max(1u, node.sockets),
          .cores_per_socket = std::max(1u, node.cores_per_socket)};
}

std::uint32_t size_of(CpuUnit unit, const NodeShape& node) {
  switch (unit) {
    case CpuUnit::Cpu: return 1;
    case CpuUnit::Core: return node.threads;
    case CpuUnit::Socket: return node.threads * node.cores_per_socket;
  }
  return 1;
}

std::uint32_t whole_units_in(std::uint32_t cpus, CpuUnit unit, const NodeShape& node) {
  return cpus - cpus % size_of(unit, node);
}

std::uint32_t whole_units_for(std::uint32_t cpus, CpuUnit unit, const NodeShape& node) {
  std::uint64_t size = size_of(unit, node), all = divided_up(cpus, size) * size;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(all, 0xffffffff));
}

TaskNeeds needs_of(std::uint32_t cpus_per_task, std::uint32_t tasks_per_node,
                   const BindingWish& wish) {
  return {.cpus_per_task = std::max(1u, cpus_per_task),
          .tasks_per_node = tasks_per_node,
          .tasks_per_socket = wish.tasks_per_socket,
          .tasks_per_core = wish.tasks_per_core,
          .threads_per_core = wish.threads_per_core};
}

std::uint32_t tasks_that_fit(const TaskNeeds& needs, const NodeShape& node, std::uint32_t cpus) {
  std::uint64_t tasks = cpus / needs.cpus_per_task;
  if (by_cores(needs, node)) {
    std::uint64_t cores = cpus / node.threads;
    tasks = cores * used_threads(needs, node) / needs.cpus_per_task;
    if (needs.tasks_per_core) tasks = std::min(tasks, cores * needs.tasks_per_core);
  }
  if (needs.tasks_per_socket)
    tasks = std::min(tasks, std::uint64_t{node.sockets} * needs.tasks_per_socket);
  if (needs.tasks_per_node) tasks = std::min<std::uint64_t>(tasks, needs.tasks_per_node);
  return static_cast<std::uint32_t>(tasks);
}

std::uint32_t cpus_for(const TaskNeeds& needs, const NodeShape& node, std::uint32_t tasks) {
  std::uint64_t cpus = std::uint64_t{tasks} * needs.cpus_per_task;
  if (by_cores(needs, node)) {
    std::uint64_t cores = divided_up(cpus, used_threads(needs, node));
    if (needs.tasks_per_core)
      cores = std::max<std::uint64_t>(cores, divided_up(tasks, needs.tasks_per_core));
    cpus = cores * node.threads;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(cpus, 0xffffffff));
}

std::optional<Ranks> lay_out(const Distribution& distribution,
                             const std::vector<std::uint32_t>& rooms, std::uint32_t tasks) {
  auto counts = task_counts(distribution, rooms, tasks);
  if (!counts) return std::nullopt;
  switch (distribution.nodes) {
    case NodeSpread::Plane: return in_turns(*counts, tasks, std::max(1u, distribution.plane));
    case NodeSpread::Cyclic: return in_turns(rooms, tasks, 1);
    default: return in_blocks(*counts);
  }
}

std::optional<std::vector<std::uint32_t>> task_counts(const Distribution& distribution,
                                                      const std::vector<std::uint32_t>& rooms,
                                                      std::uint32_t tasks) {
  std::uint64_t room = std::accumulate(rooms.begin(), rooms.end(), std::uint64_t{0});
  if (room < tasks) return std::nullopt;
  // Packing is block's; the others contradict it.
  bool block = distribution.nodes != NodeSpread::Cyclic && distribution.nodes != NodeSpread::Plane;
  bool pack = distribution.packing == Packing::Pack && block;
  std::uint32_t plane = distribution.nodes == NodeSpread::Plane ? distribution.plane : 1;
  return pack ? packed(rooms, tasks) : dealt_out(rooms, tasks, std::max(1u, plane));
}

}  // namespace ym
