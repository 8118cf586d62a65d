// SPDX-License-Identifier: Apache-2.0
// How many files this process may have open. Daemons want many; what they start gets what they got.
#pragma once
#include <sys/types.h>

#include <cstdint>

namespace ym {

// The limit as it is.
std::uint64_t open_files();
// Raises the limit as far as it goes, once, before there are threads; returns it.
std::uint64_t raise_open_files();
// Gives a child, by its pid (0: ourselves), the limit that we had before. System calls only.
void lower_open_files(pid_t child);

}  // namespace ym
