// SPDX-License-Identifier: Apache-2.0
// Which nodes a reservation may be given at all.
#pragma once
#include <vector>

#include "base/result.h"
#include "model/reservation.h"
#include "model/state.h"

namespace ym {

// Usable ones of its partition, or of the default one.
Result<std::vector<const Node*>> eligible_nodes(const State& state, const Reservation& one);
bool has_features(const NodeSpec& node, const std::string& wanted);

}  // namespace ym
