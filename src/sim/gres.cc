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
    if (term.name != "gpu") {
      items.push_back({.name = term.name, .type = term.type, .count = term.count});
      continue;
    }
    std::uint64_t sockets = spec.sockets, given = 0;
    for (std::uint64_t socket = 0; socket < sockets; ++socket) {
      std::uint64_t until = term.count * (socket + 1) / sockets, here = until - given;
      given = until;
      if (here == 0) continue;
      GresItem item{.name = term.name, .type = term.type, .count = here};
      item.files = fmt::format("/dev/nvidia[{}-{}]", next, next + here - 1);
      std::uint64_t first = socket * spec.cores_per_socket;
      if (sockets > 1) item.cores = fmt::format("{}-{}", first, first + spec.cores_per_socket - 1);
      next += here;
      items.push_back(std::move(item));
    }
  }
  return items;
}

}  // namespace ym::sim
