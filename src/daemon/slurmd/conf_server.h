// SPDX-License-Identifier: Apache-2.0
// A node without slurm.conf gets it from the controller (slurmd --conf-server).
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ym {

inline constexpr std::uint16_t kControllerPort = 6817;

// Writes the files to conf-cache/ of the SlurmdSpoolDir that they name; returns slurm.conf's path.
Result<std::string> fetch_configuration(const std::string& server, const std::string& node);

// The key of a node that has no configuration of its own: $SLURM_KEY_FILE, else
// /etc/slurm/slurm.key.
std::string fetched_key_file();

}  // namespace ym
