// SPDX-License-Identifier: Apache-2.0
// Functions in lists of hosts: feature{x}, switch{x}, switchwith{node}, and the latter two also for
// block, ring and torus.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/topology_conf.h"
#include "model/node_messages.h"
#include "notation/hostlist.h"

namespace ym::cli {

// Asked only if a function needs them.
struct HostSources {
  std::function<Result<std::vector<NodeRow>>()> nodes;
  std::function<Result<Topology>()> topology;
};
// Of all cells of a torus, in their order.
Hostlist hosts_of(const TopologyTorus& torus);
bool has_host_function(std::string_view text);
// The list with every function replaced by the nodes that it means, in the order of the text.
Result<Hostlist> resolve_hosts(std::string_view text, const HostSources& sources);
// What a cluster's controller and its files say. It outlives them.
class Controller;
HostSources sources_of(Controller& controller);
// All topologies of topology.yaml beside slurm.conf, or topology.conf. The error says that there is
// neither.
Result<Topology> load_topology(const std::string& slurm_conf);
// The same, each on its own.
Result<std::vector<Topology>> load_topologies(const std::string& slurm_conf);

}  // namespace ym::cli
