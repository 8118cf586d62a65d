// SPDX-License-Identifier: Apache-2.0
// The part of a pass that asks: does what was promised hold? How promises are kept, for policies
// that keep them.
//
// A promise only moves forward, unless what was promised is taken: a limit is raised, a job ends
// late, a node goes, a reservation comes. Then whoever lost his place has the earliest start that
// those before him in the queue leave, and those behind him are placed anew, each behind the other.
#include <algorithm>

#include "schedule/het.h"
#include "schedule/homes.h"
#include "schedule/pass.h"

namespace ym {
namespace {

// How often those who stand before others are asked again whether these have left them room.
constexpr int kRoundsMax = 8;

}  // namespace

// A job, or the components of one, that was promised a start.
struct Pass::Kept {
  Head head;
  Components components;
  std::vector<Booking> lifted;  // what it was promised, while it is not
  bool preempts = false;        // others have made room for it

  const Job& job() const { return *components.front(); }
  const Shape& shape() const { return *head.line->shape; }
};

// What the pass before this one proposed and nobody saw start, as the core knew better. Once only:
// it must not keep others off for ever.
void Pass::promise_what_was_refused() {
  Bookings refused = std::exchange(planner_.offered_, {});
  for (auto& [id, booking] : refused) {
    const Job* job = state_.find(id);
    if (!job || !place_of(id, booking.partition) || planner_.bookings_.contains(id)) continue;
    offered_again_.insert(id);
    profile_.promise(booking, *job->spec, is_whole(*job->spec, booking.partition));
    planner_.bookings_[id] = std::move(booking);
  }
}

// Those who were promised a start and still wait for one, in the order of the queue; others are
// promised nothing from here on.
std::vector<Pass::Kept> Pass::kept_promises() {
  std::vector<Kept> all;
  std::vector<JobId> gone;
  for (const auto& [id, booking] : planner_.bookings_) {
    const JobQueue::Place* place = place_of(id, booking.partition);
    const Job* job = state_.find(id);
    Components components = place && job ? components_of(state_, *job) : Components();
    bool complete = std::ranges::all_of(
        components, [&](const Job* one) { return planner_.bookings_.contains(one->id); });
    if (components.empty() || !complete) {
      gone.push_back(id);
    } else if (components.front() == job) {
      make_homes(*place->line->shape);
      all.push_back({.head = head_of(*place->line, place->position),
                     .components = std::move(components),
                     .lifted = {},
                     .preempts = planner_.preemptors_.contains(id)});
    }
  }
  for (JobId id : gone) lift(id);
  if (!gone.empty()) planner_.book_.note_ease();
  std::ranges::sort(all, [](const Kept& a, const Kept& b) { return a.head.goes_before(b.head); });
  return all;
}

// Does its array's limit allow it to start now, beside those of the array that are to?
bool Pass::array_has_room(const Job& job) const {
  if (job.array_max_running == 0) return true;
  auto due = array_due_.find(job.array_job);
  std::uint32_t others = due == array_due_.end() ? 0 : due->second;
  return planner_.book_.running_of_array(job.array_job) + others < job.array_max_running;
}

// Those whose time has come while as many of their array run, or start, as may. They wait as if
// they had come just now.
void Pass::drop_what_arrays_forbid(std::vector<Kept>& all) {
  auto is_forbidden = [&](Kept& one) {
    const Job& job = one.job();
    if (job.array_max_running == 0 || planner_.bookings_.at(job.id).start > now_) return false;
    if (!array_has_room(job)) return true;
    ++array_due_[job.array_job];
    return false;
  };
  std::size_t dropped = 0;
  std::vector<Kept> rest;
  for (Kept& one : all) {
    if (is_forbidden(one)) {
      lift(one.components);
      ++dropped;
    } else {
      rest.push_back(std::move(one));
    }
  }
  all = std::move(rest);
  if (dropped > 0) planner_.book_.note_ease();
}

void Pass::promise_again(Kept& one) {
  for (std::size_t i = 0; i < one.lifted.size(); ++i) {
    Booking& booking = one.lifted[i];
    const JobSpec& spec = *one.components[i]->spec;
    profile_.promise(booking, spec, is_whole(spec, booking.partition));
    if (one.preempts) planner_.preemptors_.insert(booking.job);
    planner_.bookings_[booking.job] = std::move(booking);
  }
  one.lifted.clear();
}

// The component's own: a shape has those of the first. `made` holds them if they are made for it.
const std::vector<Home>& Pass::homes_for(const Job& component, const Shape& shape,
                                         std::vector<Home>& made) const {
  if (!component.het_job) return shape.everywhere();
  made = homes_of(*component.spec, state_, planner_.book_, planner_.rules_);
  return made;
}

// Is all of it there that the component was promised?
bool Pass::has_room_for(const Booking& lifted, const Job& component, const Shape& shape) const {
  std::vector<Home> made;
  const std::vector<Home>& homes = homes_for(component, shape, made);
  auto home = std::ranges::find(homes, lifted.partition, &Home::id);
  return home != homes.end() && profile_.has_room_for(lifted, *component.spec, *home);
}

bool Pass::surely_holds(const Kept& one) const {
  return std::ranges::all_of(one.components, [&](const Job* component) {
    std::vector<Home> made;
    const std::vector<Home>& homes = homes_for(*component, one.shape(), made);
    const Booking& booking = planner_.bookings_.at(component->id);
    auto home = std::ranges::find(homes, booking.partition, &Home::id);
    return home != homes.end() && profile_.still_holds(booking, *component->spec, *home);
  });
}

// Puts what was lifted back to where it was, or to now if that is over; if that is taken, nothing
// is promised.
bool Pass::put_back(Kept& one) {
  for (std::size_t i = 0; i < one.lifted.size(); ++i) {
    Booking& booking = one.lifted[i];
    const Job& component = *one.components[i];
    if (booking.start < now_) {
      booking.start = now_;
      booking.end = latest_end(*component.spec, now_);
    }
    if (!has_room_for(booking, component, one.shape())) {
      for (std::size_t before = 0; before < i; ++before) lift(one.lifted[before].job);
      return false;
    }
    profile_.promise(booking, *component.spec, is_whole(*component.spec, booking.partition));
    planner_.bookings_[booking.job] = booking;
    if (one.preempts) planner_.preemptors_.insert(booking.job);
  }
  one.lifted.clear();
  return true;
}

// The earliest start that is left, for one that was lifted.
std::vector<Booking> Pass::earliest_again(Kept& one, Instant from) {
  std::vector<Booking> found;
  if (one.components.size() > 1)
    found = earliest_of_all(one.components);
  else if (auto alone = earliest_of(*one.job().spec, one.shape().everywhere(), from))
    found.push_back(std::move(*alone));
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].job = one.lifted[i].job;
    found[i].waits_for = one.lifted[i].waits_for;
  }
  return found;
}

// Moves it to the earliest start that the others leave, if that is sooner.
bool Pass::move_up(Kept& one) {
  one.lifted = lift(one.components);
  std::vector<Booking> found = earliest_again(one, now_);
  bool sooner = !found.empty() && found.front().start < one.lifted.front().start;
  if (sooner && found.front().start <= now_) {
    sooner = array_has_room(one.job());
    if (sooner && one.job().array_max_running) ++array_due_[one.job().array_job];
  }
  if (sooner) one.lifted = std::move(found);
  promise_again(one);
  return sooner;
}

// Gives those from that one on, who were lifted, the earliest starts that they leave each other in
// the order of the queue. Nobody is promised more than he could be if he came now: beyond the
// budget they wait for their turn, all who stand behind, too.
void Pass::place_anew(std::vector<Kept>& all, std::size_t first) {
  // By shape: nobody goes meanwhile, so the next of one is no sooner.
  std::map<std::uint64_t, Instant> floors;
  std::size_t placed = first;
  for (std::size_t i = first; i < all.size(); ++i) {
    if (is_deep_enough(i) || no_time_left()) break;
    Kept& one = all[i];
    bool comparable = !one.shape().is_het && !profile_.calendar().is_personal();
    Instant& floor = floors.try_emplace(one.shape().hash, now_).first->second;
    std::vector<Booking> found = earliest_again(one, comparable ? floor : now_);
    Instant start = found.empty() ? kNever : found.front().start;
    if (comparable && !found.empty()) floor = start;
    // Where it was is no worse, if it is there still and the search did not see it.
    if (start > one.lifted.front().start && put_back(one)) found.clear();
    bool forbidden = start <= now_ && !array_has_room(one.job());
    if (!found.empty() && start - now_ <= budget_.window && !forbidden) {
      one.lifted = std::move(found);
      promise_again(one);
    }
    if (!planner_.bookings_.contains(one.job().id)) continue;
    if (one.job().array_max_running && planner_.bookings_.at(one.job().id).start <= now_)
      ++array_due_[one.job().array_job];
    if (i != placed) all[placed] = std::move(one);
    ++placed;
  }
  all.resize(placed);
}

// Cheap: no search is made where the answer is no.
bool Pass::may_have_room_now(const Kept& one) const {
  return std::ranges::all_of(one.components, [&](const Job* component) {
    std::vector<Home> made;
    return std::ranges::any_of(homes_for(*component, one.shape(), made), [&](const Home& home) {
      return profile_.has_room_now(*component->spec, home);
    });
  });
}

// Who moved up may have left room for one who stands before him.
void Pass::let_start_at_once(std::vector<Kept>& all) {
  bool moved = true;
  for (int round = 0; moved && round < kRoundsMax; ++round) {
    moved = false;
    for (Kept& one : all)
      if (planner_.bookings_.at(one.job().id).start > now_ && may_have_room_now(one))
        moved = move_up(one) || moved;
  }
}

// Whatever is not sure to hold is lifted and put back in the order of the queue: all that was
// promised fits beside each other still, unless something was taken. From the first who cannot be
// put back, all are placed anew. If something came back before its time, or was left by those, each
// in the order of the queue moves up, never to a later start.
void Pass::compress() {
  Asks asks(*this, PlanQuestion::When);
  promise_what_was_refused();
  std::vector<Kept> all = kept_promises();
  drop_what_arrays_forbid(all);
  for (Kept& one : all)
    if (!surely_holds(one)) one.lifted = lift(one.components);
  std::size_t broken = 0;
  while (broken < all.size() && (all[broken].lifted.empty() || put_back(all[broken]))) ++broken;
  if (broken == all.size() && !planner_.book_.eased()) return;
  for (std::size_t i = broken; i < all.size(); ++i) {
    Kept& one = all[i];
    if (one.lifted.empty()) one.lifted = lift(one.components);
    bool was_due = one.lifted.front().start <= now_;
    if (one.job().array_max_running && was_due) --array_due_[one.job().array_job];
  }
  for (std::size_t i = 0; i < broken; ++i) move_up(all[i]);
  if (broken == all.size()) return;
  place_anew(all, broken);
  let_start_at_once(all);
}

// What was promised for now is not to be had after all: the next pass lets others move up.
void Pass::note_what_was_not_kept() {
  planner_.eased_late_ = true;
  planner_.look_again_ = std::min(planner_.look_again_, now_ + std::chrono::seconds(1));
}

}  // namespace ym
