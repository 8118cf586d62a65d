// SPDX-License-Identifier: Apache-2.0
// How a message for many nodes is passed on: to the head of each part, with the rest of that part
// to pass it on to.
#pragma once
#include <cstdint>
#include <vector>

#include "model/step_messages.h"

namespace ym {

inline constexpr std::uint32_t kTreeWidthDefault = 16;

// At most `width` parts (0: kTreeWidthDefault), in order, no two differing by more than one node;
// none is empty. Few enough nodes are a part each.
std::vector<std::vector<NodeAddress>> tree_parts(const std::vector<NodeAddress>& nodes,
                                                 std::uint32_t width);

}  // namespace ym
