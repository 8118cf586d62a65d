// SPDX-License-Identifier: Apache-2.0
#include "schedule/levels.h"

#include <algorithm>

namespace ym {
namespace {

// The level that begins at the time; one is made if there is none.
// REQUIRES: the first begins no later.
std::size_t level_at(std::vector<Level>& steps, Instant at) {
  auto found = std::ranges::lower_bound(steps, at, {}, &Level::from);
  auto place = static_cast<std::size_t>(found - steps.begin());
  if (found != steps.end() && found->from == at) return place;
  Level level = steps[place - 1];
  level.from = at;
  steps.insert(found, level);
  return place;
}

// A level like the one before it is none.
void join(std::vector<Level>& steps, std::size_t place) {
  if (place == 0 || place >= steps.size()) return;
  const Level &one = steps[place], &before = steps[place - 1];
  if (one.cpus == before.cpus && one.memory_mb == before.memory_mb && one.busy == before.busy)
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(place));
}

}  // namespace

void change(Levels& levels, const LevelChange& change) {
  std::vector<Level>& steps = levels.steps;
  if (!levels.made || steps.empty()) return;
  Instant from = std::max(change.from, steps.front().from);
  if (change.to <= from) return;
  std::size_t first = level_at(steps, from);
  std::size_t last = change.to < kNever ? level_at(steps, change.to) : steps.size();
  for (std::size_t i = first; i < last; ++i) {
    steps[i].cpus -= static_cast<std::int32_t>(change.cpus);
    steps[i].memory_mb -= change.memory_mb;
    steps[i].busy = static_cast<std::uint32_t>(static_cast<int>(steps[i].busy) + change.busy);
  }
  if (change.busy > 0) return;
  join(steps, last);
  join(steps, first);
}

}  // namespace ym
