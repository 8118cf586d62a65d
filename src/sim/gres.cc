// SPDX-License-Identifier: Apache-2.0
#include "sim/gres.h"

#include "base/format.h"
#include "notation/gres.h"

namespace ym::sim {

std::vector<GresItem> pretended_gres(const NodeSpec& spec) {
  std::vector<GresItem> items;
  auto terms = parse_node_gres(spec.gres);
  if (!terms) return items;
  std::uint64_t next = 0;
  for (const GresTerm& term : *terms) {
    if (term.count == 0) continue;
    GresItem item{.name = term.name, .type = term.type, .count = term.count};
    if (term.name == "gpu") {
      item.files = fmt::format("/dev/nvidia[{}-{}]", next, next + term.count - 1);
      next += term.count;
    }
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace ym::sim
