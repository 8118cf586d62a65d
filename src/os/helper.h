// SPDX-License-Identifier: Apache-2.0
// What the small programs begin with that slurmd starts to do something for a user: slurm-bcast,
// slurm-x11.
#pragma once
#include <string>
#include <string_view>

namespace ym {

// For good, with these groups ("100,27") and no others. False: something is not a number, or the
// system refuses; the caller must give up. Without root's rights only one's own name will do.
[[nodiscard]] bool become_user(std::string_view uid, std::string_view gid, std::string_view groups);

// All of a file that was left open for this program; closes it. Empty if there is none.
std::string read_inherited(int fd);

}  // namespace ym
