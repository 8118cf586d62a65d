// SPDX-License-Identifier: Apache-2.0
// topology.conf: which switches and blocks the nodes are behind.
//
// Invariants of what has been read: (1) names are there once; (2) a switch has nodes or switches
// below it, never both, and no switch is below itself; (3) members is what is below, however deep.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/lex.h"
#include "notation/hostlist.h"

namespace ym {

struct TopologySwitch {
  std::string name;
  std::uint32_t level = 0;  // 0: nodes are right behind it
  std::uint32_t link_speed = 1;
  Hostlist members;   // nodes
  Hostlist switches;  // right below; empty at level 0
};
struct TopologyBlock {
  std::string name;
  Hostlist nodes;
};
struct Topology {
  std::vector<TopologySwitch> switches;  // the lowest first, else in the file's order
  std::vector<TopologyBlock> blocks;
  std::vector<std::uint32_t> block_sizes;

  const TopologySwitch* find_switch(std::string_view name) const;
  const TopologyBlock* find_block(std::string_view name) const;
};

inline constexpr std::size_t kTopologySwitchesMax = 100'000;

Result<Topology> parse_topology_conf(const std::string& path, const ReadFile& read_file);

}  // namespace ym
