// SPDX-License-Identifier: Apache-2.0
// The step function of what is free on one node, beside what is promised.
#pragma once
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace ym {

// What is free of a node from a time on until the next level begins. The last one has no end.
struct Level {
  Instant from;
  std::int64_t memory_mb = 0;  // below zero: more is promised than there is
  std::int32_t cpus = 0;       // likewise
  std::uint32_t busy = 0;      // who holds or is promised something
};

// Ascending by time. There may be more of them than differ; and where one job goes and another with
// as much comes, there may be none.
struct Levels {
  std::vector<Level> steps;
  bool made = false;
  // Each level is what is free now and what came back since, less what is promised. Not so if more
  // comes back than the node has, as on nodes that are shared by force.
  bool adds_up = false;
};

// Somebody holds so much between the times; negative numbers: no longer.
struct LevelChange {
  Instant from, to;
  std::int64_t cpus = 0, memory_mb = 0;
  int busy = 1;
};
// Nothing happens to levels that are not made. O(levels).
void change(Levels& levels, const LevelChange& change);

}  // namespace ym
