// SPDX-License-Identifier: Apache-2.0
// What an order says about containment, from the configuration and the job's share of this node.
#pragma once
#include "model/config.h"
#include "model/node_messages.h"
#include "model/step_messages.h"
#include "shepherd/order.h"

namespace ym {

void set_containment(ShepherdOrder& order, const LaunchJob& job, const ClusterConfig& config);
void set_containment(ShepherdOrder& order, const LaunchTasks& launch,
                     const StepCredential& credential, const StepShare& share,
                     const ClusterConfig& config);

}  // namespace ym
