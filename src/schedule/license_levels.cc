// SPDX-License-Identifier: Apache-2.0
#include "schedule/license_levels.h"

#include <algorithm>
#include <limits>

namespace ym {

LicenseLevels::LicenseLevels(const Licenses& licenses, Instant now) : now_(now) {
  for (const auto& [name, license] : licenses)
    all_[name].changes[now] = std::int64_t{license.total} - std::int64_t{license.used};
}

void LicenseLevels::take(const std::string& held, Instant from, Instant to) {
  change(held, from, to, -1);
}

void LicenseLevels::give_back(const std::string& held, Instant from, Instant to) {
  change(held, from, to, 1);
}

void LicenseLevels::change(const std::string& held, Instant from, Instant to, std::int64_t sign) {
  if (held.empty()) return;
  auto list = LicenseList::parse(held);
  if (!list) return;
  from = std::max(from, now_);
  if (to <= from) return;
  for (const LicenseList::Term& term : list->terms) {
    One& one = all_[term.name];
    std::int64_t count = sign * std::int64_t{term.count};
    one.changes.try_emplace(now_, 0);
    one.changes[from] += count;
    if (to < kNever) one.changes[to] -= count;
    one.levels.clear();
  }
}

const std::vector<LicenseLevels::Level>& LicenseLevels::levels_of(std::string_view name) const {
  static const std::vector<Level> kNone;
  auto at = all_.find(name);
  if (at == all_.end()) return kNone;
  std::vector<Level>& levels = at->second.levels;
  if (!levels.empty()) return levels;
  std::int64_t free = 0;
  for (const auto& [from, by] : at->second.changes) {
    free += by;
    // What was taken back leaves nothing behind.
    if (levels.empty() || levels.back().free != free) levels.push_back({from, free});
  }
  return levels;
}

// Calls visit(free, level's beginning, level's end) for those that meet the time; none where the
// licence is not known.
template <class Visit>
void LicenseLevels::for_each_level(std::string_view name, Instant from, Instant to,
                                   Visit&& visit) const {
  const std::vector<Level>& levels = levels_of(name);
  auto level = std::ranges::upper_bound(levels, from, {}, &Level::from);
  if (level != levels.begin()) --level;
  for (; level != levels.end() && level->from < to; ++level)
    visit(level->free, level->from,
          std::next(level) == levels.end() ? kNever : std::next(level)->from);
}

Licenses LicenseLevels::between(const LicenseList& wanted, Instant from, Instant to) const {
  Licenses out;
  for (const LicenseList::Term& term : wanted.terms) {
    std::int64_t least = all_.contains(term.name) ? std::numeric_limits<std::uint32_t>::max() : 0;
    for_each_level(term.name, from, to, [&](std::int64_t free, Instant, Instant) {
      least = std::clamp<std::int64_t>(free, 0, least);
    });
    out[term.name] = {.name = term.name, .total = static_cast<std::uint32_t>(least)};
  }
  return out;
}

// Where too few are free within the stay, every start before the last such level's end meets it.
Instant LicenseLevels::start_of(const LicenseList& wanted, Instant from, Instant to) const {
  Instant start = wanted.any ? kNever : from;
  for (const LicenseList::Term& term : wanted.terms) {
    Instant own = all_.contains(term.name) ? from : kNever;
    for_each_level(term.name, from, to, [&](std::int64_t free, Instant, Instant end) {
      if (free < std::int64_t{term.count}) own = std::max(own, end);
    });
    start = wanted.any ? std::min(start, own) : std::max(start, own);
  }
  return start;
}

std::vector<Instant> LicenseLevels::rises(const LicenseList& wanted, Instant after) const {
  std::vector<Instant> out;
  for (const LicenseList::Term& term : wanted.terms) {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for_each_level(term.name, after, kNever, [&](std::int64_t free, Instant from, Instant) {
      if (free > before && from > after) out.push_back(from);
      before = free;
    });
  }
  return out;
}

Instant LicenseLevels::free_until(const std::string& held, Instant end) const {
  auto list = LicenseList::parse(held);
  if (!list) return end;
  for (const LicenseList::Term& term : list->terms)
    for_each_level(term.name, now_, end, [&](std::int64_t free, Instant from, Instant) {
      if (free < std::int64_t{term.count} && from > now_) end = std::min(end, from);
    });
  return end;
}

bool LicenseLevels::is_short(const std::string& held, Instant from, Instant to) const {
  auto list = LicenseList::parse(held);
  bool is_short = false;
  if (!list) return is_short;
  for (const LicenseList::Term& term : list->terms)
    for_each_level(term.name, from, to,
                   [&](std::int64_t free, Instant, Instant) { is_short = is_short || free < 0; });
  return is_short;
}

}  // namespace ym
