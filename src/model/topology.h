// SPDX-License-Identifier: Apache-2.0
// How the nodes are wired: switches, blocks, rings and tori, as topology.conf and topology.yaml
// say.
//
// Invariants of what has been read: (1) names are there once; (2) a switch has nodes or switches
// below it, never both, and no switch is below itself; (3) members is what is below, however deep.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "notation/hostlist.h"

namespace ym {

enum class TopologyKind : std::uint8_t { Flat, Tree, Block, Ring, Torus };

struct TopologySwitch {
  std::string name;
  std::uint32_t level = 0;  // 0: nodes are right behind it
  std::uint32_t link_speed = 1;
  Hostlist members;   // nodes
  Hostlist switches;  // right below; empty at level 0
  bool operator==(const TopologySwitch&) const = default;
};
struct TopologyBlock {
  std::string name;
  Hostlist nodes;
  bool operator==(const TopologyBlock&) const = default;
};
struct TopologyRing {
  std::string name;
  Hostlist nodes;  // in their order along the ring
  bool operator==(const TopologyRing&) const = default;
};
// A place in a torus, or a size.
struct TorusCell {
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  bool operator==(const TorusCell&) const = default;
};
// Boxes of one shape in which jobs are placed. The corners are `spacing` apart, beginning with
// `seed`.
struct TorusPlacement {
  TorusCell size, seed, spacing;
  bool operator==(const TorusPlacement&) const = default;
};
struct TopologyTorus {
  std::string name;
  TorusCell size;
  std::vector<std::string> nodes;  // of each cell, x first, then y, then z; empty: none
  std::vector<TorusPlacement> placements;
  bool operator==(const TopologyTorus&) const = default;
};
struct Topology {
  std::string name;  // what partitions call it
  TopologyKind kind = TopologyKind::Flat;
  bool cluster_default = false;
  std::vector<TopologySwitch> switches;  // the lowest first, else in the file's order
  std::vector<TopologyBlock> blocks;
  // The first: nodes of a base block; each further one: of an aggregated block, the double, four
  // times … of the one before.
  std::vector<std::uint32_t> block_sizes;
  std::vector<TopologyRing> rings;
  std::vector<TopologyTorus> tori;

  const TopologySwitch* find_switch(std::string_view name) const;
  const TopologyBlock* find_block(std::string_view name) const;
  const TopologyRing* find_ring(std::string_view name) const;
  const TopologyTorus* find_torus(std::string_view name) const;
  bool operator==(const Topology&) const = default;
};

// The one that counts for a partition that names `wanted`; null: none, and so it is flat.
const Topology* choose_topology(const std::vector<Topology>& all, std::string_view wanted);

}  // namespace ym
