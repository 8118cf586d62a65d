// SPDX-License-Identifier: Apache-2.0
// Everything that came from this process. As a subreaper it inherits what its children leave
// behind, daemons included, so "no child left" means that nothing of the step is left.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace ym {

// Parents before their children. Scans /proc: O(processes of the machine).
std::vector<pid_t> descendants();
// How many were sent the signal.
std::size_t signal_descendants(int signal);
// SIGKILL for all of them, after stopping them round by round: what is stopped has no more
// children, so that those who fork without end are caught, too.
void kill_descendants();
// Stopped (SIGSTOP) in the same way.
void stop_descendants();

// What /proc says of a process that does not die: name, state, where in the kernel it waits.
std::string describe_process(pid_t pid);

}  // namespace ym
