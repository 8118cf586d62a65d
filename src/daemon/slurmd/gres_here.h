// SPDX-License-Identifier: Apache-2.0
// The generic resources of this machine: what gres.conf says, as far as its files are there.
#pragma once
#include <string>

#include "daemon/launch/gres_order.h"
#include "model/config.h"

namespace ym {

// `root`: where /dev, /proc and /sys are looked for, for tests; empty: as they are.
GresHere find_gres(const ClusterConfig& config, const NodeSpec& node, const std::string& root = "");

// One line for each of `slurmd -G`.
std::string gres_lines(const GresHere& here);

}  // namespace ym
