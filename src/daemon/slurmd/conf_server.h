// SPDX-License-Identifier: Apache-2.0
// A node without slurm.conf gets it from the controller (slurmd --conf-server).
#pragma once
#include <string>

#include "base/result.h"

namespace ym {

// Writes the files under SlurmdSpoolDir's default, conf-cache/, and returns slurm.conf's path.
Result<std::string> fetch_configuration(const std::string& server, const std::string& node);

}  // namespace ym
