// SPDX-License-Identifier: Apache-2.0
// topology.conf and topology.yaml: which switches and blocks the nodes are behind.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/lex.h"
#include "model/topology.h"

namespace ym {

inline constexpr std::size_t kTopologySwitchesMax = 100'000;

// The kind is what there is in it: blocks, else rings, else switches.
Result<Topology> parse_topology_conf(const std::string& path, const ReadFile& read_file);
// Several topologies, by name.
Result<std::vector<Topology>> parse_topology_yaml(const std::string& path, std::string_view text);

}  // namespace ym
