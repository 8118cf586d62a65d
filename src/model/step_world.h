// SPDX-License-Identifier: Apache-2.0
// Steps of several components of a heterogeneous job that are one to their tasks.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/step.h"

namespace ym {

// What of a step that is one of several is the same in all of them.
struct StepWorld {
  std::uint32_t tasks = 0;              // of all; 0: the step stands alone
  std::uint32_t first_node = 0;         // number of this step's first node among all
  std::vector<StepShare> shares;        // of all
  std::vector<std::string> node_names;  // for each of them
  std::uint32_t first_task = 0;         // of this step
  std::string job_nodes;                // hostlist of all their jobs' nodes
  std::vector<std::uint32_t> job_cpus;  // for each of these
  std::string name;                     // for MPI libraries, which know all as one: "7.0"
};

}  // namespace ym
