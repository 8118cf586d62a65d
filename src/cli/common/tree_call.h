// SPDX-License-Identifier: Apache-2.0
// An order for many nodes, down a tree whose root is this command. Never waits, but for a resolver;
// call_tree() does (docs/decisions/0009).
#pragma once
#include <poll.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/common/controller.h"
#include "model/tree_walk.h"

namespace ym::cli {

class TreeCall {
 public:
  // `type` and `payload` are the message that every node gets.
  TreeCall(Controller& controller, std::uint16_t type, std::string payload,
           std::vector<NodeAddress> nodes, Duration budget);

  bool finished() const { return walk_.finished(); }
  // What to poll(2) for, and until when at most.
  void add_polls(std::vector<pollfd>& fds) const;
  Duration next_deadline() const;
  // Goes on as far as it can. The rows that have come; in the end there is one for each node.
  std::vector<TreeAnswer> advance();

 private:
  void dial(const TreeSend& send);
  // False if the call is over.
  bool look(std::uint64_t number, Client& client);

  Controller& controller_;
  TreeOrder order_;
  TreeWalk walk_;
  std::map<std::uint64_t, Client> calls_;
};

// To the end. Rows come in the order of `nodes`.
std::vector<TreeAnswer> call_tree(Controller& controller, std::uint16_t type, std::string payload,
                                  const std::vector<NodeAddress>& nodes, Duration budget);

}  // namespace ym::cli
