// SPDX-License-Identifier: Apache-2.0
// Machines that have just the generic resources that slurm.conf gives them.
#pragma once
#include <vector>

#include "model/node.h"

namespace ym::sim {

// GPUs with files, dealt out evenly to the sockets whose cores are near to them; everything else
// counted only.
std::vector<GresItem> pretended_gres(const NodeSpec& spec);

}  // namespace ym::sim
