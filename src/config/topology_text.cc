// SPDX-License-Identifier: Apache-2.0
#include "config/topology_text.h"

#include <algorithm>

#include "base/format.h"

namespace ym {
namespace {

std::string cell(const TorusCell& at) {
  return fmt::format("{{x: {}, y: {}, z: {}}}", at.x, at.y, at.z);
}

void add_tree(std::string& out, const Topology& topology) {
  out += "  tree:\n    switches:\n";
  for (const TopologySwitch& one : topology.switches) {
    out += fmt::format("      - switch: {}\n", one.name);
    if (one.level > 0)
      out += fmt::format("        children: '{}'\n", one.switches.str());
    else
      out += fmt::format("        nodes: '{}'\n", one.members.str());
    if (one.link_speed != 1) out += fmt::format("        link_speed: {}\n", one.link_speed);
  }
}

void add_blocks(std::string& out, const Topology& topology) {
  out += "  block:\n";
  if (!topology.block_sizes.empty()) {
    out += "    block_sizes:\n";
    for (std::uint32_t size : topology.block_sizes) out += fmt::format("      - {}\n", size);
  }
  out += "    blocks:\n";
  for (const TopologyBlock& one : topology.blocks)
    out += fmt::format("      - block: {}\n        nodes: '{}'\n", one.name, one.nodes.str());
}

void add_rings(std::string& out, const Topology& topology) {
  out += "  ring:\n    rings:\n";
  for (const TopologyRing& one : topology.rings)
    out += fmt::format("      - ring: {}\n        nodes: '{}'\n", one.name, one.nodes.str());
}

// A torus with gaps says of each row of nodes where it begins.
void add_regions(std::string& out, const TopologyTorus& torus) {
  out += "        regions:\n";
  const std::uint32_t width = torus.size.x;
  for (std::size_t row = 0; row < torus.nodes.size(); row += width)
    for (std::uint32_t x = 0; x < width;) {
      std::uint32_t end = x;
      std::vector<std::string> names;
      while (end < width && !torus.nodes[row + end].empty())
        names.push_back(torus.nodes[row + end++]);
      if (names.empty()) {
        ++x;
        continue;
      }
      auto line = static_cast<std::uint32_t>(row / width);
      TorusCell anchor{x, line % torus.size.y, line / torus.size.y};
      out += fmt::format("          - {{anchor: {}, dims: {}, nodes: '{}'}}\n", cell(anchor),
                         cell({end - x, 1, 1}), Hostlist::of(names).str());
      x = end;
    }
}

void add_tori(std::string& out, const Topology& topology) {
  out += "  torus3d:\n    toruses:\n";
  for (const TopologyTorus& one : topology.tori) {
    out += fmt::format("      - name: {}\n        dims: {}\n", one.name, cell(one.size));
    if (std::ranges::find(one.nodes, std::string()) == one.nodes.end())
      out += fmt::format("        nodes: '{}'\n", Hostlist::of(one.nodes).str());
    else
      add_regions(out, one);
    out += "        placements:\n";
    for (const TorusPlacement& place : one.placements)
      out += fmt::format("          - {{dims: {}, anchor_seed: {}, anchor_spacing: {}}}\n",
                         cell(place.size), cell(place.seed), cell(place.spacing));
  }
}

}  // namespace

std::string topology_yaml(const std::vector<Topology>& all) {
  std::string out = "---\n";
  for (const Topology& one : all) {
    out += fmt::format("- topology: {}\n  cluster_default: {}\n", one.name,
                       one.cluster_default ? "true" : "false");
    switch (one.kind) {
      case TopologyKind::Flat: out += "  flat: true\n"; break;
      case TopologyKind::Tree: add_tree(out, one); break;
      case TopologyKind::Block: add_blocks(out, one); break;
      case TopologyKind::Ring: add_rings(out, one); break;
      case TopologyKind::Torus: add_tori(out, one); break;
    }
  }
  return out;
}

}  // namespace ym
