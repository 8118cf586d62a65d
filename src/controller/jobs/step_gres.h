// SPDX-License-Identifier: Apache-2.0
// What a step gets of its job's generic resources.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "model/node.h"
#include "model/step_messages.h"

namespace ym {

struct StepGresWish {
  GresRequest request;
  bool all = false;  // it asks for nothing: it gets what the job asked for, on its nodes
};
// A job that asked for none but has its nodes for itself keeps what they have from its steps,
// unless they ask.
Result<StepGresWish> step_gres_wish(const Job& job, const CreateStep& create);

// A node's part of the job, as far as other steps leave it: `all` of the job's, and what is `free`.
struct StepGresRoom {
  GresKinds all, free;
};
StepGresRoom step_gres_room(const Job& job, const Node& node, bool overlap);

// Of so many tasks those that the resources carry.
std::uint32_t step_gres_tasks(const StepGresWish& wish, const GresKinds& kinds,
                              const GresKinds& all, std::uint32_t tasks);

// A node that takes part, with its tasks.
struct StepGresNode {
  NodeId node;
  const StepGresRoom* room = nullptr;
  std::uint32_t tasks = 0;
};
// NodesBusy if other steps have what it needs, InvalidGres if the job has too little.
Result<GresShares> give_step_gres(const Job& job, const StepGresWish& wish,
                                  const std::vector<StepGresNode>& nodes);

}  // namespace ym
