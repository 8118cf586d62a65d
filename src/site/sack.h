// SPDX-License-Identifier: Apache-2.0
// Where sackd is found: beside slurmctld's pid file, as the other sockets are. /run/slurmctld.pid →
// /run/sackd.sock.
#pragma once
#include <string>

#include "model/config.h"

namespace ym {

std::string sack_socket(const MainConfig& config);
std::string sack_pid_file(const MainConfig& config);
// Whom commands believe, as controller_trust_file.
std::string sack_trust_file(const MainConfig& config);

}  // namespace ym
