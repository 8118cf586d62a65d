// SPDX-License-Identifier: Apache-2.0
// Rights that a daemon gives up. What is here concerns the whole process only as long as it has one
// thread: to be called before there are more.
#pragma once
#include <cstdint>

namespace ym {

// Of the rights of root only those that slurmd and slurmstepd need stay with this process
// (docs/SECURITY.md says which, and why). Programs that it executes as root have all of them again,
// and so have programs with the set-user-id bit. Nothing happens to a process that is not root's.
// ForNow: the others do not act, but stay permitted. What it executes as root then gains nothing: a
// process that gains rights by that is written no core file, and tasks of root's jobs want theirs.
enum class GiveUp { ForGood, ForNow };
void keep_needed_capabilities(GiveUp how);
std::uint64_t needed_capabilities();  // a bit for each, as /proc/PID/status shows them

// None at all, nor any that a program could inherit.
bool keep_no_capability();

// No core file, and no look into our memory by others of our user: keys are in it.
void hide_memory();

}  // namespace ym
