// SPDX-License-Identifier: Apache-2.0
// Everything that came from this process. As a subreaper it inherits what its children leave
// behind, daemons included, so "no child left" means that nothing of the step is left.
#pragma once
#include <sys/types.h>

#include <vector>

namespace ym {

// Parents before their children. Scans /proc: O(processes of the machine).
std::vector<pid_t> descendants();
// How many were sent the signal.
std::size_t signal_descendants(int signal);

}  // namespace ym
