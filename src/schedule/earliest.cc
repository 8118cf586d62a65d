// SPDX-License-Identifier: Apache-2.0
// The earliest start of a request: a sweep over the times at which nodes offer more or less room.
#include <algorithm>
#include <span>
#include <tuple>

#include "schedule/place_gres.h"
#include "schedule/profile.h"

namespace ym {
namespace {

// Times at which enough nodes seem to have room, yet the request does not fit for a finer reason
// (licences, reservations, neighbours, features): after so many it is given up.
constexpr int kTriesMax = 200;
constexpr std::uint32_t kNoPlace = 0xffffffff;

// Levels of a window that are lower than all before them that are still in it.
struct Row {
  std::vector<std::size_t> levels;
  std::size_t first = 0;
  std::size_t at(std::size_t i) const { return levels[i]; }
  void clear() {
    levels.clear();
    first = 0;
  }
};

// The least of what the levels within a window have, while the window moves on.
class Least {
 public:
  // Windows begin no earlier than that. The levels are not copied.
  void begin(const std::vector<Level>& levels, Instant from) {
    levels_ = levels;
    auto first = std::ranges::upper_bound(levels, from, {}, &Level::from);
    if (first != levels.begin()) --first;
    begin_ = end_ = static_cast<std::size_t>(first - levels.begin());
    busy_ = 0;
    cpus_.clear();
    memory_.clear();
  }
  // REQUIRES: neither falls from call to call.
  void move(Instant from, Instant to) {
    for (; end_ < levels_.size() && levels_[end_].from < to; ++end_) {
      add(cpus_, &Level::cpus);
      add(memory_, &Level::memory_mb);
      busy_ += levels_[end_].busy > 0;
    }
    for (; begin_ + 1 < end_ && levels_[begin_ + 1].from <= from; ++begin_) {
      busy_ -= levels_[begin_].busy > 0;
      if (cpus_.at(cpus_.first) == begin_) ++cpus_.first;
      if (memory_.at(memory_.first) == begin_) ++memory_.first;
    }
  }
  std::int64_t cpus() const { return levels_[cpus_.at(cpus_.first)].cpus; }
  std::int64_t memory_mb() const { return levels_[memory_.at(memory_.first)].memory_mb; }
  bool idle() const { return busy_ == 0; }

 private:
  template <class T>
  void add(Row& row, T Level::* what) {
    while (row.levels.size() > row.first && levels_[row.levels.back()].*what >= levels_[end_].*what)
      row.levels.pop_back();
    row.levels.push_back(end_);
  }

  std::span<const Level> levels_;
  std::size_t begin_ = 0, end_ = 0, busy_ = 0;
  Row cpus_, memory_;
};

Capacity::Room room_of(std::int64_t cpus, std::int64_t memory_mb, bool idle) {
  return {.cpus = static_cast<std::uint32_t>(std::max<std::int64_t>(0, cpus)),
          .memory_mb = static_cast<std::uint64_t>(std::max<std::int64_t>(0, memory_mb)),
          .idle = idle};
}

}  // namespace

// What is asked of each node, and what they have answered.
struct Profile::Search {
  const Question& question;
  const Home& home;
  Capacity capacity{question.spec, home.rules};
  // A node with room for so many is enough alone; nobody needs to say what comes later. 0: never.
  std::uint32_t enough = 0;
  bool only_alone = false;  // and nothing less is of use
  Instant before;
  std::vector<Offer> offers;
  // For one node.
  std::uint32_t place = 0, last = 0;
  std::uint32_t row = 0;  // in which it is asked
  std::vector<Instant> steps, falls, times;
  Least least;

  // True: nothing more is needed of this node.
  bool offer(Instant at, const Free& free) { return offer(at, capacity.of(free)); }
  bool offer(Instant at, std::uint32_t tasks) {
    if (only_alone && tasks < enough) tasks = 0;
    if (tasks != last) offers.push_back({at, place, tasks});
    last = tasks;
    if (enough == 0 || tasks < enough) return false;
    before = at + Duration(1);
    return true;
  }
};

// All changes of the node's room for the request, as a function of its start. A request that lasts
// meets a promise before that begins: the room falls when the request no longer ends in time.
void Profile::offers_of(const Track& track, Search& search) const {
  const JobSpec& spec = search.question.spec;
  search.last = 0;
  if (search.capacity.rows()) return offers_in_rows(track, search);
  if (!track.promised.empty()) return offers_beside_promises(track, search);
  bool with_gres = gres_request(spec) && track.free.gres;
  Instant at = search.question.from;
  Free free = free_of(track);
  const Sketch* sketch = sketch_of(track);
  std::uint32_t jobs = sketch ? sketch->jobs : track.jobs;
  bool done = false;
  for_each_holding(track, [&](const Holding& one, Instant back) {
    if (back >= search.before) return false;
    if (back > at) {
      done = search.offer(at, free);
      if (done) return false;
      at = back;
    }
    come_back(free, one);
    if (with_gres && one.allocation) release_gres(*one.allocation, free);
    if (jobs > 0 && --jobs == 0) empty_out(free);
    return true;
  });
  if (!done) search.offer(at, free);
}

// The offers of all rows, of which it may have any: at each time the best of them.
void Profile::offers_in_rows(const Track& track, Search& search) const {
  std::size_t first = search.offers.size();
  std::uint32_t rows = rows_to_ask(track, search.capacity.rows());
  std::vector<std::tuple<Instant, std::uint32_t, std::uint32_t>> all;  // when, row, tasks
  for (search.row = 1; search.row <= rows; ++search.row) {
    search.last = 0;
    offers_beside_promises(track, search);
    for (std::size_t i = first; i < search.offers.size(); ++i)
      all.emplace_back(search.offers[i].at, search.row, search.offers[i].tasks);
    search.offers.resize(first);
  }
  search.row = 0;
  std::ranges::sort(all);
  std::vector<std::uint32_t> tasks(rows + 1);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto [at, row, fits] = all[i];
    tasks[row] = fits;
    if (i + 1 < all.size() && std::get<0>(all[i + 1]) == at) continue;
    std::uint32_t most = *std::ranges::max_element(tasks);
    if (most != last) search.offers.push_back({at, search.place, most});
    last = most;
  }
}

// The first time at which the node alone is enough. More cpus and memory are never less room: so
// that is where all levels of a stay are enough. O(levels before it).
// REQUIRES: only cpus, memory and whether anybody is there decide.
void Profile::offer_alone(const std::vector<Level>& levels, const Free& node, Search& search) {
  const Question& question = search.question;
  auto level = std::ranges::upper_bound(levels, question.from, {}, &Level::from);
  if (level != levels.begin()) --level;
  Instant start = question.from;
  bool fits = false;
  for (; level != levels.end(); ++level) {
    Instant from = std::max(level->from, question.from);
    if ((fits ? start : from) >= search.before) return;
    Capacity::Room room = room_of(level->cpus, level->memory_mb, level->busy == 0);
    if (search.capacity.of(node, room) < search.enough) {
      fits = false;
      continue;
    }
    if (!fits) start = from;
    fits = true;
    Instant until = std::next(level) == levels.end() ? kNever : std::next(level)->from;
    if (latest_end(question.spec, start) > until) continue;
    search.offers.push_back({start, search.place, search.enough});
    search.before = start + Duration(1);
    return;
  }
}

// Only cpus, memory and whether anybody is there decide? O(levels) then, else O(levels²).
void Profile::offers_beside_promises(const Track& track, Search& search) const {
  const JobSpec& spec = search.question.spec;
  Instant from = search.question.from, end = latest_end(spec, from);
  bool with_gres = gres_request(spec) && track.free.gres;
  const std::vector<Level>& levels = levels_of(track, search.row);
  const Free& node = free_of(track);
  bool by_user = search.capacity.keeps_others_off() || node.for_user || node.for_mcs ||
                 track.promised_alone > 0;
  if (search.only_alone && !with_gres && !by_user) return offer_alone(levels, node, search);
  times_of(levels, {from, end}, search);
  // Devices and owners change also where as many cpus are free as before.
  if (with_gres || by_user) {
    std::vector<Instant> edges;
    for_each_holding(track, [&](const Holding&, Instant at) {
      edges.push_back(at);
      return true;
    });
    for (const Promised& one : track.promised) edges.insert(edges.end(), {one.from, one.to});
    for (Instant at : edges)
      if (at > from && at < search.before) search.times.push_back(at);
    std::ranges::sort(search.times);
  }
  Least& least = search.least;
  least.begin(levels, from);
  for (Instant at : search.times) {
    if (at >= search.before) return;
    Instant until = latest_end(spec, at);
    least.move(at, until);
    Capacity::Room room = room_of(least.cpus(), least.memory_mb(), least.idle());
    std::uint32_t tasks = 0;
    if (!with_gres && !by_user)
      tasks = search.capacity.of(node, room);
    else if (by_user || !search.capacity.is_none(node, room))
      tasks = search.capacity.of(during(track, at, until, with_gres, search.row));
    if (search.offer(at, tasks)) return;
  }
}

// When the room may change for a request that would run from `stay.first` to `stay.second` if it
// started at once.
void Profile::times_of(const std::vector<Level>& levels, std::pair<Instant, Instant> stay,
                       Search& search) {
  auto [from, end] = stay;
  std::vector<Instant>&steps = search.steps, &falls = search.falls;
  steps.assign(1, from);
  falls.clear();
  auto first = std::ranges::upper_bound(levels, from, {}, &Level::from);
  for (auto level = first; level != levels.end(); ++level) {
    if (level->from < search.before) steps.push_back(level->from);
    if (level == levels.begin() || end == kNever || level->from <= end) continue;
    Instant fall = level->from - (end - from) + Duration(1);
    if (fall >= search.before) break;
    const Level& before = *std::prev(level);
    if (level->cpus < before.cpus || level->memory_mb < before.memory_mb) falls.push_back(fall);
  }
  search.times.resize(steps.size() + falls.size());
  std::ranges::merge(steps, falls, search.times.begin());
}

// What it would get if it started then on these places of the pool.
std::optional<Booking> Profile::try_at(const JobSpec& spec, const Home& home, Instant start,
                                       const std::vector<std::uint32_t>& places) const {
  Instant end = latest_end(spec, start);
  std::vector<Calendar::Stay> stays = calendar_.stays(spec, start, end);
  if (stays.empty()) return std::nullopt;
  std::optional<std::string> held = licenses_for(spec, stays.front());
  if (!held) return std::nullopt;
  Capacity capacity(spec, home.rules);
  Asker asker{.capacity = capacity,
              .tasks = std::max({1u, spec.tasks, spec.min_nodes}),
              .with_gres = spec.exclusive || home.rules.whole_nodes || gres_request(spec)};
  const Pool& pool = book_.pools()[home.pool];
  std::vector<Free> candidates;
  candidates.reserve(places.size());
  bool maintained = false;
  for (std::uint32_t place : places)
    add_candidates(book_.track(pool.nodes[place]), stays.front(), asker, candidates, maintained);
  work_ += places.size();
  clip_blocks(candidates, spec, home, stays.front());
  auto allocation = place(spec, std::move(candidates), home.rules);
  if (!allocation) return std::nullopt;
  allocation->licenses = std::move(*held);
  return Booking{.job = {},
                 .partition = home.id,
                 .start = start,
                 .end = end,
                 .allocation = std::move(*allocation)};
}

// The offers in the order of their times, and what they come to.
class Profile::Sweep {
 public:
  Sweep(std::vector<Offer> offers, std::size_t places)
      : offers_(std::move(offers)), tasks_(places) {
    std::ranges::make_heap(offers_, later);
  }
  bool over() const { return offers_.empty(); }
  // Takes in all that changes at the next time; says when it is.
  Instant next() {
    Instant at = offers_.front().at;
    rose_ = false;
    while (!offers_.empty() && offers_.front().at == at) {
      std::ranges::pop_heap(offers_, later);
      take(offers_.back());
      offers_.pop_back();
    }
    return at;
  }
  bool rose() const { return rose_; }
  std::uint64_t room() const { return room_; }
  std::uint64_t nodes() const { return nodes_; }
  // With room for so many at least.
  std::vector<std::uint32_t> places(std::uint32_t least) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t place = 0; place < tasks_.size(); ++place)
      if (tasks_[place] >= least) out.push_back(place);
    return out;
  }

 private:
  static bool later(const Offer& a, const Offer& b) { return a.at > b.at; }
  void take(const Offer& offer) {
    if (offer.place == kNoPlace) {
      rose_ = true;
      return;
    }
    std::uint32_t& tasks = tasks_[offer.place];
    rose_ = rose_ || offer.tasks > tasks;
    room_ = room_ - tasks + offer.tasks;
    nodes_ = nodes_ - (tasks > 0) + (offer.tasks > 0);
    tasks = offer.tasks;
  }

  std::vector<Offer> offers_;
  std::vector<std::uint32_t> tasks_;  // by place
  std::uint64_t room_ = 0, nodes_ = 0;
  bool rose_ = false;
};

std::optional<Booking> Profile::earliest(const Question& question, const Home& home) {
  const JobSpec& spec = question.spec;
  bool one_node = spec.min_nodes <= 1, plain = calendar_.empty() && spec.extras->licenses.empty();
  Search search{.question = question, .home = home, .before = question.before};
  if (one_node && plain) {
    search.enough = std::max(1u, spec.tasks);
    search.only_alone = search.enough == 1 || spec.max_nodes == 1 || home.rules.max_nodes == 1;
  }
  std::optional<Booking> found = sweep(search);
  if (found || search.before == question.before) return found;
  // There is room at times, but for a finer reason it does not fit there.
  Search whole{.question = question, .home = home, .before = question.before};
  return sweep(whole);
}

std::optional<Booking> Profile::sweep(Search& search) const {
  const JobSpec& spec = search.question.spec;
  const Home& home = search.home;
  const Pool& pool = book_.pools()[home.pool];
  for (std::uint32_t place = 0; place < pool.nodes.size(); ++place) {
    if (!home.takes_all && !(home.admitted[place / 64] >> (place % 64) & 1)) continue;
    ++work_;
    const Track& track = book_.track(pool.nodes[place]);
    search.place = place;
    if (track.usable) offers_of(track, search);
  }
  LicenseList licenses;
  if (auto wanted = LicenseList::parse(spec.extras->licenses)) licenses = std::move(*wanted);
  add_turns(search, licenses);
  Instant licensed_from;
  std::uint32_t nodes = std::max(1u, spec.min_nodes), tasks = std::max(spec.tasks, nodes);
  Sweep sweep(std::move(search.offers), pool.nodes.size());
  for (int tries = 0; !sweep.over() && tries < kTriesMax;) {
    Instant at = sweep.next();
    if (at >= search.before || at >= kNever) break;
    if (!sweep.rose() || sweep.room() < tasks || sweep.nodes() < nodes) continue;
    // What others have, or are promised, of its licences passes without a closer look.
    if (!licenses.terms.empty() && at >= licensed_from)
      licensed_from = licenses_.start_of(licenses, at, latest_end(spec, at));
    if (at < licensed_from) continue;
    ++tries;
    std::vector<std::uint32_t> places;
    if (search.enough && takes_one_alone(spec, home.rules)) places = sweep.places(search.enough);
    if (places.empty()) places = sweep.places(1);
    if (auto booking = try_at(spec, home, at, places)) return booking;
  }
  return std::nullopt;
}

// The times at which reservations begin and end, blocks are left, and licences come back.
void Profile::add_turns(Search& search, const LicenseList& licenses) const {
  const Question& question = search.question;
  for (Instant turn : calendar_.turns(now_))
    if (turn > question.from && turn < question.before)
      search.offers.push_back({turn, kNoPlace, 0});
  for (Instant turn : block_turns(question.spec, search.home))
    if (turn > question.from && turn < question.before)
      search.offers.push_back({turn, kNoPlace, 0});
  for (Instant turn : licenses_.rises(licenses, question.from))
    if (turn < question.before) search.offers.push_back({turn, kNoPlace, 0});
}

}  // namespace ym
