// SPDX-License-Identifier: Apache-2.0
#include "model/topology.h"

#include <algorithm>

namespace ym {

const TopologySwitch* Topology::find_switch(std::string_view wanted) const {
  auto at = std::ranges::find(switches, wanted, &TopologySwitch::name);
  return at == switches.end() ? nullptr : &*at;
}

const TopologyBlock* Topology::find_block(std::string_view wanted) const {
  auto at = std::ranges::find(blocks, wanted, &TopologyBlock::name);
  return at == blocks.end() ? nullptr : &*at;
}

const TopologyRing* Topology::find_ring(std::string_view wanted) const {
  auto at = std::ranges::find(rings, wanted, &TopologyRing::name);
  return at == rings.end() ? nullptr : &*at;
}

const TopologyTorus* Topology::find_torus(std::string_view wanted) const {
  auto at = std::ranges::find(tori, wanted, &TopologyTorus::name);
  return at == tori.end() ? nullptr : &*at;
}

const Topology* choose_topology(const std::vector<Topology>& all, std::string_view wanted) {
  auto at = wanted.empty() ? std::ranges::find(all, true, &Topology::cluster_default)
                           : std::ranges::find(all, wanted, &Topology::name);
  return at == all.end() ? nullptr : &*at;
}

}  // namespace ym
