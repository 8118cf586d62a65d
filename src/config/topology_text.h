// SPDX-License-Identifier: Apache-2.0
// Topologies as topology.yaml says them.
#pragma once
#include <string>
#include <vector>

#include "model/topology.h"

namespace ym {

// parse_topology_yaml() of it gives the same again.
std::string topology_yaml(const std::vector<Topology>& all);

}  // namespace ym
