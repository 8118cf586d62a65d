// SPDX-License-Identifier: Apache-2.0
#include "trace/machine.h"

#include "base/format.h"
#include "base/text.h"
#include "notation/gres.h"

namespace ym::trace {
namespace {

// Nobody is silent for so long.
constexpr Duration kPatience = std::chrono::hours(24 * 365 * 1000);
constexpr std::uint64_t kNodesMax = 100'000;
constexpr std::uint64_t kGpusMax = 1024;

NodeSpec node_named(std::string name, std::uint32_t cpus) {
  NodeSpec node{.name = name, .hostname = name, .address = name};
  node.cpus = node.cores_per_socket = cpus;
  return node;
}

Machine with_partition(ClusterConfig config, std::string nodes) {
  config.cluster_name = "replay";
  config.partitions = {
      PartitionSpec{.name = "replay", .nodes = std::move(nodes), .is_default = true}};
  Machine machine = site_machine(std::move(config));
  machine.as_configured = false;
  return machine;
}

}  // namespace

std::uint64_t Machine::procs() const {
  std::uint64_t sum = 0;
  for (const NodeSpec& node : config.nodes) sum += node.cpus_for_jobs();
  return sum;
}

Machine counted_machine(std::uint32_t procs) {
  ClusterConfig config;
  config.nodes = {node_named("machine", procs)};
  Machine machine = with_partition(std::move(config), "machine");
  machine.counted = true;
  return machine;
}

Result<Machine> uniform_machine(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (std::string_view part : split(text, 'x')) {
    auto number = parse_u64(part);
    if (!number || *number == 0) return fail("a machine is NODESxCPUS or NODESxCPUSxGPUS");
    numbers.push_back(*number);
  }
  if (numbers.size() < 2 || numbers.size() > 3)
    return fail("a machine is NODESxCPUS or NODESxCPUSxGPUS");
  if (numbers[0] > kNodesMax || numbers[1] > kNodesMax)
    return fail(fmt::format("a machine has at most {} nodes of so many CPUs", kNodesMax));
  ClusterConfig config;
  if (numbers.size() == 3) {
    if (numbers[2] > kGpusMax) return fail(fmt::format("a node has at most {} GPUs", kGpusMax));
    config.gres_types = "gpu";
  }
  for (std::uint64_t i = 1; i <= numbers[0]; ++i) {
    NodeSpec node = node_named(fmt::format("n{}", i), static_cast<std::uint32_t>(numbers[1]));
    if (numbers.size() == 3) node.gres = fmt::format("gpu:{}", numbers[2]);
    config.nodes.push_back(std::move(node));
  }
  return with_partition(std::move(config), fmt::format("n[1-{}]", numbers[0]));
}

Machine site_machine(ClusterConfig config) {
  config.prolog.clear();
  config.epilog.clear();
  config.controller_prolog.clear();
  config.controller_epilog.clear();
  config.prolog_flags = {};
  config.health_program.clear();
  config.mail_program.clear();
  config.slurmd_timeout = kPatience;
  config.inactive_limit = kPatience;
  config.min_job_age = Duration(0);
  // A replay has no patience with numbers that start again.
  config.first_job_id = 1;
  config.max_job_id = ClusterConfig().max_job_id;
  config.max_job_count = ClusterConfig().max_job_count;
  for (NodeSpec& node : config.nodes)
    if (!same_ignoring_case(node.state, "FUTURE")) node.state.clear();
  config.down_nodes.clear();
  config.power = {};
  return {.config = std::move(config), .as_configured = true};
}

NodeRegistration registration_of(const NodeSpec& spec) {
  NodeRegistration found{.cpus = spec.cpus,
                         .boards = spec.boards,
                         .sockets = spec.sockets,
                         .cores_per_socket = spec.cores_per_socket,
                         .threads_per_core = spec.threads_per_core,
                         .memory_mb = spec.memory_mb,
                         .tmp_mb = spec.tmp_mb};
  if (auto terms = parse_node_gres(spec.gres))
    for (const auto& term : *terms)
      found.gres.push_back({.name = term.name, .type = term.type, .count = term.count});
  return found;
}

}  // namespace ym::trace
