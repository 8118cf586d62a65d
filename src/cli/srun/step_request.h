// SPDX-License-Identifier: Apache-2.0
// What srun asks the controller for: nodes and tasks of a step, out of the options and of what is
// known of the job around it.
#pragma once
#include <optional>
#include <string>

#include "cli/options/job_options.h"
#include "model/step_messages.h"

namespace ym::cli {

// Within an allocation of its own the step has all of its nodes: --nodes, --nodelist and the like
// have chosen these already.
CreateStep step_request(const JobOptions& options, JobId job, bool own_allocation);

// What a step asks for of generic resources: not what its job has as a whole.
GresOptions step_gres_of(const JobOptions& options);

// Of a --nodelist with more nodes than --nodes admits the first ones are kept; what is said then.
std::optional<std::string> shorten_node_list(JobOptions& options);
// --ntasks counts more than --ntasks-per-node, which is dropped where both cannot be; what is said
// then.
std::optional<std::string> settle_tasks_per_node(JobOptions& options);

}  // namespace ym::cli
