// SPDX-License-Identifier: Apache-2.0
#include "model/tree.h"

#include <algorithm>

namespace ym {

std::vector<std::vector<NodeAddress>> tree_parts(const std::vector<NodeAddress>& nodes,
                                                 std::uint32_t width) {
  std::size_t parts = std::min<std::size_t>(width ? width : kTreeWidthDefault, nodes.size());
  std::vector<std::vector<NodeAddress>> out;
  for (std::size_t n = 0, at = 0; n < parts; ++n) {
    std::size_t size = nodes.size() / parts + (n < nodes.size() % parts ? 1 : 0);
    auto first = nodes.begin() + static_cast<std::ptrdiff_t>(at);
    out.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  return out;
}

}  // namespace ym
