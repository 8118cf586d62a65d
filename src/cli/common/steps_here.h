// SPDX-License-Identifier: Apache-2.0
// What slurmd of a node says about the steps that are alive there.
#pragma once
#include <string>
#include <vector>

#include "cli/common/controller.h"
#include "model/step_messages.h"

namespace ym::cli {

struct NodeAnswer {
  std::string node;
  Result<StepsHere> steps;
};
// Down the tree. In the order of `nodes`.
std::vector<NodeAnswer> ask_nodes(Controller& controller, const std::vector<NodeAddress>& nodes,
                                  const QueryStepsHere& question);
// The node of that name on this machine. Empty: SLURMD_NODENAME, else the first whose slurmd is
// here.
Result<StepsHere> ask_local_node(const Controller& controller, std::string name,
                                 const QueryStepsHere& question);

}  // namespace ym::cli
