// SPDX-License-Identifier: Apache-2.0
#include "schedule/profile.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/check.h"
#include "schedule/place_gres.h"

namespace ym {
namespace {

constexpr std::size_t kSpareSteps = 64;

std::uint32_t tasks_wanted(const JobSpec& spec) {
  return std::max({1u, spec.tasks, spec.min_nodes});
}

bool is_whole(const JobSpec& spec, const Home& home) {
  return spec.exclusive || home.rules.whole_nodes;
}

// The nodes that a request for now has to look at.
const Bits& bits_for(const Pool& pool, const JobSpec& spec, const Home& home) {
  if (is_whole(spec, home) && !rows_for(spec, home.rules)) return pool.idle;
  auto level = static_cast<std::size_t>(std::bit_width(home.cpus_least)) - 1;
  return pool.free[std::min(level, Pool::kLevels - 1)];
}

}  // namespace

void empty_out(Free& free) {
  free.cpus = free.cpus_total;
  free.cpus_owed = 0;
  free.cpus_shared = 0;
  free.memory_mb = free.spec->memory_for_jobs();
  free.idle = true;
  free.for_user = free.several_owners = free.for_mcs = free.several_mcs = false;
}

void come_back(Free& free, const Holding& one) {
  std::uint64_t cpus = cpus_missed(free.row, one.row, one.cpus, free.cpus_total);
  std::uint64_t paid = std::min(free.cpus_owed, cpus);
  free.cpus_owed -= paid;
  free.cpus =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(free.cpus + cpus - paid, free.cpus_total));
  free.memory_mb += one.memory_mb;
  if (free.row && one.row) free.cpus_shared -= std::min(free.cpus_shared, one.cpus);
}

Profile::Profile(Book& book, const State& state, Bookings& bookings, Instant now)
    : book_(book),
      state_(state),
      bookings_(bookings),
      now_(now),
      pass_(book.next_pass()),
      calendar_(state, now),
      licenses_(*state.licenses, now) {
  if (calendar_.has_parts())
    for (const auto& [id, running] : book.running()) calendar_.count(id, *running.allocation);
  for (const auto& [id, running] : book.licensed())
    licenses_.give_back(running.allocation->licenses, std::max(running.end, now + kAnyMoment),
                        kNever);
  for (const auto& [id, booking] : bookings) {
    if (booking.allocation.topo_alone) alone_promised_[id] = booking;
    licenses_.take(booking.allocation.licenses, booking.start, booking.end);
  }
}

std::optional<std::string> Profile::licenses_for(const JobSpec& spec,
                                                 const Calendar::Stay& stay) const {
  if (spec.extras->licenses.empty()) return "";
  auto wanted = LicenseList::parse(spec.extras->licenses);
  if (!wanted) return std::nullopt;
  return choose_licenses(spec, licenses_.between(*wanted, stay.from, stay.to), calendar_, stay);
}

Profile::Sketch& Profile::sketch_for_writing(NodeId id) {
  Track& track = book_.track(id);
  if (track.touched_by != pass_) {
    track.touched_by = pass_;
    track.sketch = static_cast<std::uint32_t>(sketches_.size());
    bool overdue = !track.holdings.empty() && track.holdings.front().at <= now_;
    sketches_.push_back({.node = id,
                         .free = track.free,
                         .jobs = track.jobs,
                         .added = {},
                         .levels = overdue || !track.levels.made ? Levels() : track.levels,
                         .row_levels = {}});
  }
  return sketches_[track.sketch];
}

const std::vector<Level>& Profile::levels_of(const Track& track, std::uint32_t row) const {
  if (const Sketch* sketch = sketch_of(track)) {
    Levels& levels = row ? sketch->row_levels[row] : sketch->levels;
    if (!levels.made) make_levels(track, row, levels);
    return levels.steps;
  }
  // They move along with time, as long as everybody goes when he should and the clock is not set
  // back. What was taken back leaves steps behind.
  Levels& levels = row ? track.row_levels[row] : track.levels;
  bool overdue = !track.holdings.empty() && track.holdings.front().at <= now_;
  bool begins_later = levels.made && levels.steps.front().from > now_;
  std::size_t steps_most = kSpareSteps + 2 * (track.holdings.size() + 2 * track.promised.size());
  if (!levels.made || overdue || begins_later || levels.steps.size() > steps_most)
    make_levels(track, row, levels);
  levels.made = !overdue;
  return levels.steps;
}

// Somebody in `row` has, or is to have, as much; or no longer.
void Profile::change_levels(Track& track, const LevelChange& one, std::uint32_t row) {
  auto seen = [&](std::uint32_t viewer) {
    LevelChange change = one;
    auto cpus = static_cast<std::uint32_t>(std::abs(one.cpus));
    std::int64_t missed = cpus_missed(viewer, row, cpus, track.free.cpus_total);
    change.cpus = one.busy < 0 ? -missed : missed;
    return change;
  };
  change(track.levels, seen(0));
  for (auto& [viewer, levels] : track.row_levels) change(levels, seen(viewer));
  if (track.touched_by != pass_) return;
  Sketch& sketch = sketches_[track.sketch];
  change(sketch.levels, seen(0));
  for (auto& [viewer, levels] : sketch.row_levels) change(levels, seen(viewer));
}

Free Profile::free_in(const Track& track, std::uint32_t row) const {
  Free free = free_of(track);
  if (row == 0) return free;
  free.row = row;
  std::uint64_t missed = 0;
  for_each_holding(track, [&](const Holding& one, Instant) {
    missed += cpus_missed(row, one.row, one.cpus, free.cpus_total);
    if (one.row) free.cpus_shared += one.cpus;
    return true;
  });
  // Who has all of it keeps it while he is suspended, and holds nothing then.
  bool kept = state_.nodes.at(free.node.value).exclusive > 0 &&
              std::ranges::none_of(book_.track(free.node).holdings,
                                   [](const Holding& one) { return one.row == 0; });
  if (kept) missed += free.cpus_total;
  std::uint64_t taken = std::min<std::uint64_t>(missed, free.cpus_total);
  free.cpus = free.cpus_total - static_cast<std::uint32_t>(taken);
  free.cpus_owed = missed - taken;
  return free;
}

std::uint32_t Profile::rows_to_ask(const Track& track, std::uint32_t rows) const {
  std::uint32_t last = 0;
  for_each_holding(track, [&](const Holding& one, Instant) {
    last = std::max(last, one.row);
    return true;
  });
  for (const Promised& one : track.promised) last = std::max(last, one.row);
  return std::min(rows, last + 1);
}

std::uint32_t Profile::tasks_now(const Track& track, const Capacity& capacity) const {
  if (capacity.rows() == 0) return capacity.of(free_of(track));
  std::uint32_t most = 0;
  for (std::uint32_t row = rows_to_ask(track, capacity.rows()); row > 0; --row)
    most = std::max(most, capacity.of(free_in(track, row)));
  return most;
}

Free Profile::best_during(const Track& track, Instant from, Instant to, const Asker& asker) const {
  if (asker.capacity.rows() == 0) return during(track, from, to, asker.with_gres);
  Free best;
  std::uint32_t most = 0, rows = rows_to_ask(track, asker.capacity.rows());
  for (std::uint32_t row = 1; row <= rows && (row == 1 || most < asker.tasks); ++row) {
    Free free = during(track, from, to, asker.with_gres, row);
    std::uint32_t tasks = asker.capacity.of(free);
    if (row > 1 && tasks <= most) continue;
    best = std::move(free);
    most = tasks;
  }
  return best;
}

void Profile::add_candidates(const Track& track, const Calendar::Stay& stay, const Asker& asker,
                             std::vector<Free>& candidates, bool& maintained) const {
  std::uint32_t rows = asker.capacity.rows(), first = rows ? 1 : 0;
  if (rows) rows = rows_to_ask(track, rows);
  for (std::uint32_t row = first; row <= rows; ++row) {
    Free left = during(track, stay.from, stay.to, asker.with_gres, row);
    bool is_last = row == rows || asker.capacity.of(left) >= asker.tasks;
    if (!calendar_.empty() && !calendar_.clip(left, stay))
      maintained = maintained || calendar_.in_maintenance(left.node, stay);
    else if (left.cpus > 0)
      candidates.push_back(std::move(left));
    if (is_last) return;
  }
}

// O((holdings + promises) log promises).
void Profile::make_levels(const Track& track, std::uint32_t row, Levels& levels) const {
  std::vector<Level>& out = levels.steps;
  out.clear();
  levels.made = levels.adds_up = true;
  struct Edge {
    Instant at;
    std::int64_t cpus, memory_mb;
    int busy;
  };
  std::vector<Edge> edges;
  edges.reserve(track.promised.size() * 2);
  for (const Promised& one : track.promised) {
    std::int64_t cpus = cpus_missed(row, one.row, one.cpus, track.free.cpus_total),
                 memory = static_cast<std::int64_t>(one.memory_mb);
    edges.push_back({std::max(one.from, now_), -cpus, -memory, 1});
    if (one.to < kNever) edges.push_back({std::max(one.to, now_), cpus, memory, -1});
  }
  std::ranges::sort(edges, {}, &Edge::at);
  Free base = free_in(track, row);
  const Sketch* sketch = sketch_of(track);
  std::uint32_t jobs = sketch ? sketch->jobs : track.jobs;
  std::int64_t cpus = 0, memory = 0, busy = 0;  // promised
  auto edge = edges.begin();
  auto push = [&](Instant at) {
    Level level{.from = at,
                .memory_mb = static_cast<std::int64_t>(base.memory_mb) + memory,
                .cpus = static_cast<std::int32_t>(base.cpus + cpus -
                                                  static_cast<std::int64_t>(base.cpus_owed)),
                .busy = jobs + static_cast<std::uint32_t>(busy)};
    if (!out.empty() && out.back().from == at)
      out.back() = level;
    else
      out.push_back(level);
  };
  auto edges_until = [&](Instant until, bool inclusive) {
    for (; edge != edges.end() && (edge->at < until || (inclusive && edge->at == until)); ++edge) {
      cpus += edge->cpus;
      memory += edge->memory_mb;
      busy += edge->busy;
      push(edge->at);
    }
  };
  push(now_);
  edges_until(now_, true);
  for_each_holding(track, [&](const Holding& one, Instant at) {
    if (at >= kNever) return false;
    edges_until(at, false);
    std::uint64_t cpus_back =
        base.cpus + cpus_missed(row, one.row, one.cpus, base.cpus_total) - base.cpus_owed;
    std::uint64_t memory_back = base.memory_mb + one.memory_mb;
    come_back(base, one);
    if (jobs > 0 && --jobs == 0) empty_out(base);
    levels.adds_up =
        levels.adds_up && base.cpus - base.cpus_owed == cpus_back && base.memory_mb == memory_back;
    push(at);
    edges_until(at, true);
    return true;
  });
  edges_until(kNever, true);
}

// What the promises that meet the time leave of it.
void Profile::lower(Free& free, const Track& track, Instant from, Instant to) const {
  std::int64_t cpus = free.cpus, memory = static_cast<std::int64_t>(free.memory_mb);
  const std::vector<Level>& levels = levels_of(track, free.row);
  auto level = std::ranges::upper_bound(levels, from, {}, &Level::from);
  if (level != levels.begin()) --level;
  for (; level != levels.end() && level->from < to; ++level) {
    cpus = std::min<std::int64_t>(cpus, level->cpus);
    memory = std::min(memory, level->memory_mb);
  }
  free.cpus = static_cast<std::uint32_t>(std::max<std::int64_t>(0, cpus));
  free.memory_mb = static_cast<std::uint64_t>(std::max<std::int64_t>(0, memory));
  Instant until = kNever;
  for (const Promised& one : track.promised) {
    if (one.from >= to) until = std::min(until, one.from);
    if (one.from >= to || one.to <= from) continue;
    if (free.row && one.row && one.from <= from) free.cpus_shared += one.cpus;
    if (free.idle) free.owner = one.owner, free.mcs = one.mcs;
    free.several_owners = free.several_owners || (!free.idle && free.owner != one.owner);
    free.several_mcs = free.several_mcs || (!free.idle && free.mcs != one.mcs);
    free.for_user = free.for_user || one.for_user;
    free.for_mcs = free.for_mcs || one.for_mcs;
    free.idle = false;
    if (one.allocation && free.gres) hold_gres(*one.allocation, free);
  }
  if (to < kNever) free.slack_ms += (until - to).count();
}

// What is free of the node all the time.
Free Profile::during(const Track& track, Instant from, Instant to, bool with_gres,
                     std::uint32_t row) const {
  Free free = free_in(track, row);
  if (!with_gres) free.gres = {};
  const Sketch* sketch = sketch_of(track);
  std::uint32_t jobs = sketch ? sketch->jobs : track.jobs;
  Instant since = now_;
  for_each_holding(track, [&](const Holding& one, Instant at) {
    if (at > from) return false;
    come_back(free, one);
    if (with_gres && one.allocation) release_gres(*one.allocation, free);
    if (jobs > 0 && --jobs == 0) empty_out(free);
    since = at;
    return true;
  });
  free.slack_ms = (from - since).count();
  if (!track.promised.empty())
    lower(free, track, from, to);
  else if (to < kNever)
    free.slack_ms += (kNever - to).count();
  return free;
}

bool Profile::has_room_now(const JobSpec& spec, const Home& home) const {
  const Pool& pool = book_.pools()[home.pool];
  const Bits& bits = bits_for(pool, spec, home);
  std::uint32_t nodes_wanted = std::max(1u, spec.min_nodes), tasks = tasks_wanted(spec);
  std::size_t open = 0;
  for (std::size_t word = 0; word < bits.size(); ++word)
    open += static_cast<std::size_t>(
        std::popcount(home.takes_all ? bits[word] : bits[word] & home.admitted[word]));
  if (open < nodes_wanted) return false;
  Capacity capacity(spec, home.rules);
  std::uint64_t room = 0, nodes = 0;
  for_each_place(bits, home, [&](std::uint32_t place) {
    ++work_;
    std::uint32_t fits = tasks_now(book_.track(pool.nodes[place]), capacity);
    room += fits;
    nodes += fits > 0;
    return room < tasks || nodes < nodes_wanted;
  });
  return room >= tasks && nodes >= nodes_wanted;
}

bool Profile::may_fit_now(const JobSpec& spec, const Home& home, Instant until) const {
  if (!has_room_now(spec, home)) return false;
  if (bookings_.empty()) return true;
  const Pool& pool = book_.pools()[home.pool];
  std::uint32_t nodes_wanted = std::max(1u, spec.min_nodes), tasks = tasks_wanted(spec);
  Capacity capacity(spec, home.rules);
  std::uint64_t room = 0, nodes = 0;
  Asker asker{.capacity = capacity, .tasks = tasks, .with_gres = gres_request(spec) != nullptr};
  for_each_place(bits_for(pool, spec, home), home, [&](std::uint32_t place) {
    const Track& track = book_.track(pool.nodes[place]);
    std::uint32_t fits = tasks_now(track, capacity);
    if (fits > 0 && !track.promised.empty()) {
      ++work_;
      fits = capacity.of(best_during(track, now_, until, asker));
    }
    room += fits;
    nodes += fits > 0;
    return room < tasks || nodes < nodes_wanted;
  });
  return room >= tasks && nodes >= nodes_wanted;
}

std::optional<Allocation> Profile::place_now(const JobSpec& spec, const Home& home,
                                             const Calendar::Stay& stay, bool& maintained) const {
  const Pool& pool = book_.pools()[home.pool];
  Capacity capacity(spec, home.rules);
  Asker asker{.capacity = capacity,
              .tasks = tasks_wanted(spec),
              .with_gres = is_whole(spec, home) || gres_request(spec)};
  std::vector<Free> candidates;
  for_each_place(bits_for(pool, spec, home), home, [&](std::uint32_t place) {
    ++work_;
    add_candidates(book_.track(pool.nodes[place]), stay, asker, candidates, maintained);
    return true;
  });
  clip_blocks(candidates, spec, home, stay);
  return place(spec, std::move(candidates), home.rules);
}

void Profile::take(const Allocation& allocation, const JobSpec& spec, bool whole, Instant end) {
  Ref<Allocation> with_gres = allocation.gres ? Ref(allocation) : Ref<Allocation>();
  for (const NodeShare& share : allocation.nodes) {
    Sketch& sketch = sketch_for_writing(share.node);
    Free& free = sketch.free;
    Levels& levels = sketch.levels;
    levels.made = levels.made && levels.adds_up && !whole && !share.row &&
                  share.cpus <= free.cpus && share.memory_mb <= free.memory_mb;
    sketch.row_levels.clear();
    change(levels, {.from = now_,
                    .to = std::max(end, now_ + kAnyMoment),
                    .cpus = share.cpus,
                    .memory_mb = static_cast<std::int64_t>(share.memory_mb)});
    if (share.row) free.cpus_owed += free.cpus_total - free.cpus;
    free.cpus = whole || share.row ? 0 : free.cpus - std::min(free.cpus, share.cpus);
    free.memory_mb -= std::min(free.memory_mb, share.memory_mb);
    if (free.idle) free.owner = spec.uid, free.mcs = mcs_of(spec);
    free.several_mcs = !free.idle && (free.several_mcs || free.mcs != mcs_of(spec));
    free.for_mcs = free.for_mcs || keeps_labels_off(spec);
    free.several_owners = !free.idle && (free.several_owners || free.owner != spec.uid);
    free.for_user = free.for_user || spec.extras->specials->exclusive_kind == kExclusiveUser;
    free.idle = false;
    hold_gres(allocation, free);
    ++sketch.jobs;
    Holding holding{.at = end,
                    .job = {},
                    .cpus = share.cpus,
                    .memory_mb = share.memory_mb,
                    .allocation = with_gres,
                    .row = share.row};
    auto at = std::ranges::upper_bound(sketch.added, end, {}, &Holding::at);
    sketch.added.insert(at, std::move(holding));
  }
  licenses_.take(allocation.licenses, now_, std::max(end, now_ + kAnyMoment));
  if (allocation.topo_alone) alone_taken_.emplace_back(end, allocation.nodes);
  if (calendar_.has_parts()) calendar_.count({}, allocation);
}

Instant Profile::free_until(const Allocation& allocation, Instant end) const {
  for (const auto& [id, one] : alone_promised_)
    if (one.start > now_) end = std::min(end, one.start);  // it may be their block
  if (!allocation.licenses.empty()) end = licenses_.free_until(allocation.licenses, end);
  for (const NodeShare& share : allocation.nodes) {
    const Track& track = book_.track(share.node);
    if (track.promised.empty()) continue;
    for (const Level& level : levels_of(track, share.row)) {
      bool room = level.cpus >= std::int64_t{share.cpus} &&
                  level.memory_mb >= static_cast<std::int64_t>(share.memory_mb);
      if (level.from > now_ && !room) end = std::min(end, level.from);
    }
    if (!allocation.gres) continue;
    for (const Promised& one : track.promised)
      if (one.allocation && one.from > now_) end = std::min(end, one.from);
  }
  return end;
}

void Profile::promise(const Booking& booking, const JobSpec& spec, bool whole) {
  const Allocation& allocation = booking.allocation;
  if (allocation.topo_alone) alone_promised_[booking.job] = booking;
  licenses_.take(allocation.licenses, booking.start, booking.end);
  Ref<Allocation> with_gres = allocation.gres ? Ref(allocation) : Ref<Allocation>();
  for (const NodeShare& share : allocation.nodes) {
    Track& track = book_.track(share.node);
    Promised promised{.from = booking.start,
                      .to = booking.end,
                      .job = booking.job,
                      .cpus = whole && !share.row ? track.free.cpus_total : share.cpus,
                      .memory_mb = share.memory_mb,
                      .owner = spec.uid,
                      .for_user = spec.extras->specials->exclusive_kind == kExclusiveUser,
                      .allocation = with_gres,
                      .mcs = mcs_of(spec),
                      .for_mcs = keeps_labels_off(spec),
                      .row = share.row};
    change_levels(track,
                  {.from = promised.from,
                   .to = promised.to,
                   .cpus = promised.cpus,
                   .memory_mb = static_cast<std::int64_t>(promised.memory_mb)},
                  promised.row);
    add_promise(track, std::move(promised));
  }
}

void Profile::retract(const Booking& booking) {
  if (booking.allocation.topo_alone) alone_promised_.erase(booking.job);
  licenses_.give_back(booking.allocation.licenses, booking.start, booking.end);
  for (const NodeShare& share : booking.allocation.nodes) {
    if (!book_.knows(share.node)) continue;
    Track& track = book_.track(share.node);
    drop_promises(track, booking.job, [&](const Promised& one) {
      change_levels(track,
                    {.from = one.from,
                     .to = one.to,
                     .cpus = -std::int64_t{one.cpus},
                     .memory_mb = -static_cast<std::int64_t>(one.memory_mb),
                     .busy = -1},
                    one.row);
    });
  }
}

bool Profile::admits(const Home& home, NodeId node) const {
  if (home.takes_all) return true;
  const std::vector<NodeId>& nodes = book_.pools()[home.pool].nodes;
  auto at = std::ranges::lower_bound(nodes, node);
  if (at == nodes.end() || *at != node) return false;
  auto place = static_cast<std::size_t>(at - nodes.begin());
  return home.admitted[place / 64] >> (place % 64) & 1;
}

bool Profile::still_holds(const Booking& booking, const JobSpec& spec, const Home& home) const {
  if (!calendar_.empty() || booking.start < now_) return false;
  if (licenses_.is_short(booking.allocation.licenses, booking.start, booking.end)) return false;
  if (booking.allocation.topo_alone || anybody_alone()) return false;
  if (Capacity(spec, home.rules).keeps_others_off()) return false;
  return std::ranges::all_of(booking.allocation.nodes, [&](const NodeShare& share) {
    if (!book_.knows(share.node) || !admits(home, share.node)) return false;
    const Track& track = book_.track(share.node);
    if (!track.usable || track.free.for_user || track.free.for_mcs || track.promised_alone > 0)
      return false;
    const std::vector<Level>& levels = levels_of(track, share.row);
    auto level = std::ranges::upper_bound(levels, booking.start, {}, &Level::from);
    if (level != levels.begin()) --level;
    for (; level != levels.end() && level->from < booking.end; ++level)
      if (level->cpus < 0 || level->memory_mb < 0) return false;
    return true;
  });
}

bool Profile::has_room_for(const Booking& retracted, const JobSpec& spec, const Home& home) const {
  std::vector<Calendar::Stay> stays = calendar_.stays(spec, retracted.start, retracted.end);
  if (stays.empty() || retracted.start < now_) return false;
  // What reservations keep is the same between their turns: so nothing is counted at two times.
  std::vector<Instant> turns = calendar_.turns(retracted.start);
  turns.push_back(kNever);
  Calendar::Stay part = stays.front();
  for (Instant turn : turns) {
    part.to = std::min(turn, retracted.end);
    if (!has_room_during(part, retracted.allocation, spec, home)) return false;
    if (part.to == retracted.end) break;
    part.from = part.to;
  }
  return true;
}

bool Profile::has_room_during(const Calendar::Stay& stay, const Allocation& wanted,
                              const JobSpec& spec, const Home& home) const {
  if (!wanted.licenses.empty()) {
    auto held = LicenseList::parse(wanted.licenses);
    if (!held || !licenses_suffice(wanted.licenses, licenses_.between(*held, stay.from, stay.to),
                                   calendar_, stay))
      return false;
  }
  std::vector<Free> left;
  for (const NodeShare& share : wanted.nodes) {
    if (!book_.knows(share.node) || !book_.track(share.node).usable) return false;
    if (!admits(home, share.node)) return false;
    left.push_back(
        during(book_.track(share.node), stay.from, stay.to, bool(wanted.gres), share.row));
    Free& free = left.back();
    if (!calendar_.empty() && !calendar_.clip(free, stay)) return false;
    if (is_whole(spec, home) && !share.row && !free.idle) return false;
    if (free.cpus < share.cpus || free.memory_mb < share.memory_mb) return false;
    if (!owner_admits(spec, free, home.rules)) return false;
    if (!still_has_gres(free, wanted)) return false;
  }
  clip_blocks(left, spec, home, stay);
  return left.size() == wanted.nodes.size();
}

Profile::Mark Profile::mark() const { return {sketches_, licenses_, alone_taken_}; }

void Profile::back_to(Mark mark) {
  for (std::size_t i = mark.sketches.size(); i < sketches_.size(); ++i)
    book_.track(sketches_[i].node).touched_by = 0;
  sketches_ = std::move(mark.sketches);
  for (Sketch& sketch : sketches_) {
    sketch.levels.made = false;
    sketch.row_levels.clear();
  }
  licenses_ = std::move(mark.licenses);
  alone_taken_ = std::move(mark.alone_taken);
}

}  // namespace ym
