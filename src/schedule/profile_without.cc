// SPDX-License-Identifier: Apache-2.0
// The part of the profile that asks: what if these were gone?
#include <algorithm>
#include <tuple>

#include "schedule/place_gres.h"
#include "schedule/profile.h"

namespace ym {

std::optional<Free> Profile::without(NodeId node, const std::vector<Departure>& gone,
                                     const Calendar::Stay& stay, const Asker& asker) const {
  const Track& track = book_.track(node);
  if (!track.usable) return std::nullopt;
  Track other = track;
  other.touched_by = 0;
  other.levels.made = false;
  other.row_levels.clear();
  if (const Sketch* sketch = sketch_of(track)) {
    other.free = sketch->free;
    other.jobs = sketch->jobs;
    other.holdings.insert(other.holdings.end(), sketch->added.begin(), sketch->added.end());
    std::ranges::sort(other.holdings, {},
                      [](const Holding& one) { return std::tuple(one.at, one.job); });
  }
  bool alone = other.jobs == gone.size();
  Free& free = other.free;
  // What is free now, less what this pass took and what those want back who are suspended. The
  // book says it, too, but knows no less than none.
  const Node& now = state_.nodes.at(node.value);
  std::int64_t cpus =
      std::int64_t{now.cpus_free()} - (track.free.cpus - free.cpus) - now.parked_cpus;
  for (const Departure& one : gone) {
    cpus += one.share.cpus;
    std::erase_if(other.holdings, [&](const Holding& held) { return held.job == one.job; });
    if (one.keeps_memory) continue;
    free.memory_mb += one.share.memory_mb;
    if (free.gres && one.allocation->gres) release_gres(*one.allocation, free);
    if (other.jobs > 0) --other.jobs;
  }
  free.cpus =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(cpus, 0, std::int64_t{free.cpus_total}));
  if (alone) {
    free.cpus = free.cpus_total;
    free.cpus_owed = 0;
    free.idle = true;
    free.for_user = free.several_owners = free.for_mcs = free.several_mcs = false;
  }
  // Where all who share go, and nobody else is there, all of it is free.
  bool shared = std::ranges::any_of(gone, [](const Departure& one) { return one.share.row > 0; });
  if (shared && other.holdings.empty()) free.cpus = free.cpus_total, free.cpus_owed = 0;
  count_sharers(other);
  Free left = best_during(other, now_, stay.to, asker);
  if (!calendar_.empty() && !calendar_.clip(left, stay)) return std::nullopt;
  return left;
}

std::optional<std::string> Profile::licenses_without(const JobSpec& spec,
                                                     const Calendar::Stay& stay,
                                                     const std::set<JobId>& gone) const {
  if (spec.extras->licenses.empty()) return "";
  auto wanted = LicenseList::parse(spec.extras->licenses);
  if (!wanted) return std::nullopt;
  LicenseLevels levels = licenses_;
  for (JobId id : gone)
    if (auto at = book_.licensed().find(id); at != book_.licensed().end())
      levels.give_back(at->second.allocation->licenses, now_,
                       std::max(at->second.end, now_ + kAnyMoment));
  return choose_licenses(spec, levels.between(*wanted, stay.from, stay.to), calendar_, stay);
}

}  // namespace ym
