// SPDX-License-Identifier: Apache-2.0
// --distribution: how tasks are laid over nodes, and on each node over sockets and cores.
// `block`, `cyclic:block`, `plane=4`, `*:fcyclic:cyclic,Pack`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

enum class NodeSpread : std::uint8_t { Default, Block, Cyclic, Plane, Arbitrary };
// Within a node. Fcyclic deals the CPUs of one task out singly, Cyclic keeps them together.
enum class Spread : std::uint8_t { Default, Block, Cyclic, Fcyclic };
enum class Packing : std::uint8_t { Default, Pack, NoPack };

struct Distribution {
  static constexpr std::uint32_t kPlaneMax = 1 << 20;

  NodeSpread nodes = NodeSpread::Default;
  std::uint32_t plane = 0;           // tasks of one block; with Plane
  Spread sockets = Spread::Default;  // cyclic
  Spread cores = Spread::Default;    // as the sockets
  Packing packing = Packing::Default;

  // An empty text is the default of everything.
  static Result<Distribution> parse(std::string_view text);
  std::string str() const;
  // Its name in Slurm's records of steps: "Block", "CFCyclicBlock,Pack".
  std::string title() const;
  bool operator==(const Distribution&) const = default;
};

}  // namespace ym
