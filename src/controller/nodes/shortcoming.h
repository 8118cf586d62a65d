// SPDX-License-Identifier: Apache-2.0
// A machine that is less than slurm.conf says.
#pragma once
#include <string>

#include "model/node.h"

namespace ym {

// What is less, in Slurm's words; empty if nothing is. With `overrides`
// (SlurmdParameters=config_overrides) slurm.conf is right about all but devices.
std::string shortcoming(const NodeSpec& spec, const NodeRegistration& found, bool overrides);

}  // namespace ym
