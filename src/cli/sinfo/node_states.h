// SPDX-License-Identifier: Apache-2.0
// States of nodes as sinfo's users name them, and the order in which they are listed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/node.h"

namespace ym::cli {

// Slurm's own numbers (slurm.h): the base state and its flags. sinfo sorts by them.
std::uint32_t state_number(const Node& node);

// "idle,mix", "idle&no_respond", "idle+cloud": the node is in one of the states, or in all of
// them; "~drain": it is not in that one.
class NodeStateChoice {
 public:
  // The error's text is Slurm's, with what the user may have meant.
  static Result<NodeStateChoice> parse(std::string_view text);
  bool given() const { return !words_.empty(); }
  bool holds(const Node& node) const;
  // Whether it is a state that nodes have which are not there yet.
  bool names_future() const;

 private:
  struct Word {
    std::string name;  // canonical
    bool inverted = false;
  };
  std::vector<Word> words_;
  bool all_ = false;  // each of them must hold
};

}  // namespace ym::cli
