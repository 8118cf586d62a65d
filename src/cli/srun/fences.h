// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a step meet: each sends its part of a collective operation, and when all parts
// are there everybody gets all of them. Pure.
//
// Invariants: (1) an operation is answered once its last part came, to those who took part; (2) the
// last kAnswersKept answers are kept, for a node whose connection was lost just then: it sends its
// part again and gets the answer again.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/step_messages.h"

namespace ym::cli {

class FenceHub {
 public:
  static constexpr std::size_t kOperationsMax = 1024;  // under way at a time
  static constexpr std::size_t kBytesMax = 60u << 20;  // of an operation's parts together
  static constexpr std::size_t kAnswersKept = 16;

  explicit FenceHub(std::uint32_t nodes) : gone_(nodes, false) {}

  struct Answer {
    StepFence all;
    std::vector<std::uint32_t> to;  // empty: nothing to be said yet
  };
  // An error ends the step: the operation can never be completed.
  Result<Answer> take(std::uint32_t from, StepFence part);
  // Nothing more comes from this node. An error if somebody waits for it.
  Status leave(std::uint32_t node);

 private:
  struct Operation {
    std::map<std::uint32_t, std::string> parts;  // by node
    std::vector<std::uint32_t> nodes;
    std::size_t bytes = 0;
  };
  std::vector<bool> gone_;
  std::map<std::string, Operation> under_way_;
  std::deque<StepFence> answered_;
};

}  // namespace ym::cli
