// SPDX-License-Identifier: Apache-2.0
// The part of topology.yaml that describes tori of three dimensions.
#pragma once
#include <cstdint>
#include <vector>

#include "config/diagnostics.h"
#include "config/yaml.h"
#include "model/topology.h"

namespace ym {

inline constexpr std::uint64_t kTorusCellsMax = 1'000'000;
// Of the boxes of a torus together: what they need of memory.
inline constexpr std::uint64_t kTorusBoxCellsMax = 10'000'000;

// What stands under torus3d. Mistakes go to the diagnostics with their lines; what is made then is
// not to be used.
std::vector<TopologyTorus> read_tori(const YamlNode& node, Diagnostics& diagnostics,
                                     std::uint32_t file);

}  // namespace ym
