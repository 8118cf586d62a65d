// SPDX-License-Identifier: Apache-2.0
// Shapes: pending jobs that ask for the same thing under the same limits are one shape. What holds
// for one of them (it fits nowhere, it may never run here) holds for all, so the question is asked
// once for thousands of jobs.
#pragma once
#include <cstdint>
#include <string>

#include "model/job.h"

namespace ym {

// Equal keys, same shape. Everything that placement and limits look at is in it, and nothing else.
// Cost: one string of some 40 bytes, ~100 ns.
std::string shape_key(const JobSpec& spec);

// A number for a key, for tables that only need to tell shapes apart for people's eyes (reasons,
// statistics).
std::uint64_t shape_hash(std::string_view key);

// What a request is apart from how many nodes and tasks it wants, with how much memory, and for how
// long: of two of one kind, the one that wants no less of any of them fits nowhere that the other
// does not. 0: nothing of the sort can be said (it names nodes, features, devices, neighbours …).
std::uint64_t kind_of(const JobSpec& spec);

}  // namespace ym
