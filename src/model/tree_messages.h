// SPDX-License-Identifier: Apache-2.0
// What goes down a tree of slurmd, and what comes back: docs/decisions/0009.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/step_messages.h"

namespace ym {

inline constexpr std::size_t kTreeNodesMax = 100'000;  // that one order may be for

// A message for the node that gets it and for all of `forward`; answered by TreeAnswers.
struct TreeOrder {
  std::uint16_t type = 0;  // of the message
  std::string payload;
  std::vector<NodeAddress> forward;
  std::uint32_t tree_width = 0;  // 0: kTreeWidthDefault
  // Who asks. Believed from those who may act for others only; unset: whoever is connected.
  std::optional<Uid> uid;
  std::optional<Gid> gid;
  std::uint32_t budget_ms = 0;  // until the answer must leave
  std::uint64_t id = 0;  // of the order everywhere: what comes twice is done once. 0: has none
  std::string asker;     // its address, for people and tasks; empty: the connection's
};
struct TreeAnswer {
  std::string node;
  std::string error;       // empty: done, and the rest is the node's answer
  std::uint16_t type = 0;  // 0: there is nothing to say
  std::string payload;
};
struct TreeAnswers {
  std::vector<TreeAnswer> rows;  // one for each node of the order
};

}  // namespace ym
