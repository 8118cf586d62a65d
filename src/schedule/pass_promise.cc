// SPDX-License-Identifier: Apache-2.0
// The part of a pass that asks: when? What blocked jobs are promised; pass_keep.cc has how it is
// kept.
#include <algorithm>

#include "schedule/diagnose.h"
#include "schedule/het.h"
#include "schedule/homes.h"
#include "schedule/outlook.h"
#include "schedule/pass.h"

namespace ym {
namespace {

// Promises that a quick pass makes at most: the next full one makes the others. Jobs alike that
// come and go in a stream would be promised starts that are forgotten a moment later.
constexpr std::size_t kQuickPromises = 16;

}  // namespace

// Is everybody behind in these partitions to be let past?
bool Pass::promises_are_given(const Shape& shape) const {
  if (policy_.promises == kEveryJob) return false;
  return std::ranges::all_of(shape.homes, [&](const Home& home) {
    auto given = promised_.find(home.id);
    return (given == promised_.end() ? 0 : given->second) >= policy_.promises;
  });
}

bool Pass::is_deep_enough(std::size_t given) {
  if (given < budget_.reservations_max) return false;
  if (!deep_enough_) deep_enough_ = !budget_.more_promises || !budget_.more_promises();
  return deep_enough_;
}

bool Pass::is_due_a_promise(const Job& job, const Shape& shape) {
  std::size_t given =
      full_ ? promised_before_pause_ + plan_.booked.size() : planner_.bookings_.size();
  if (is_deep_enough(given) || no_time_left()) return false;
  if (!full_ && new_promises_ >= kQuickPromises) return false;
  if (now_ - job.submit < budget_.min_age) return false;
  if (auto user = promised_to_user_.find(job.spec->uid); user != promised_to_user_.end())
    if (user->second >= budget_.per_user_max) return false;
  bool room = std::ranges::any_of(shape.homes, [&](const Home& home) {
    auto at = promised_.find(home.id);
    std::size_t here = at == promised_.end() ? 0 : at->second;
    return here < policy_.promises && here < budget_.per_partition_max;
  });
  return room || (policy_.promised && policy_.promised(waiting_of(job), figures_));
}

// The earliest time at which the blocked job could start is promised to it, with what it would then
// get: whoever comes later in the pass may not take that. False if there is no such time; the
// verdict then says why.
bool Pass::promise(const Components& components, Shape& shape, Verdict& verdict) {
  if (components.empty()) return false;
  Asks asks(*this, PlanQuestion::When);
  std::vector<Booking> bookings = earliest(components, shape);
  if (bookings.empty() && verdict.reason == Reason::ReqNodeNotAvail) return false;  // maintenance
  if (bookings.empty()) {
    Diagnosis found = diagnose(state_, *state_.jobs.at(verdict.head.value).spec, planner_.rules_);
    // That it could run if the cluster were empty says no more than is known.
    if (verdict.reason == Reason::Licenses && found.reason == Reason::Resources) return false;
    verdict.reason = found.reason;
    verdict.text = std::move(found.text);
    return false;
  }
  // Who is promised nothing has no expected start, either.
  if (bookings.front().start - now_ > budget_.window) return false;
  verdict.expected_start = bookings.front().start;
  ++new_promises_;
  for (std::size_t i = 0; i < bookings.size(); ++i) {
    bookings[i].job = components[i]->id;
    bookings[i].waits_for = verdict.reason;
    book(std::move(bookings[i]), *components[i], shape);
  }
  return true;
}

std::vector<Booking> Pass::earliest(const Components& components, Shape& shape) {
  if (components.size() > 1) return earliest_of_all(components);
  // What one of them was promised, the next cannot have before: a pass only takes.
  Shape::Found& before = found_of(shape);
  Instant from = before.blocked_in == number_ ? before.promised_from : now_;
  const JobSpec& spec = *components.front()->spec;
  // Those who make room for it may be in another of its queues.
  if (shape.queues > 1 && planner_.book_.leaving_for(components.front()->id)) {
    auto kept = earliest_of(spec, shape.everywhere(), now_);
    return kept ? std::vector<Booking>{std::move(*kept)} : std::vector<Booking>();
  }
  // Reservations are for some and not for others, whatever they ask for; and a network may have no
  // place for two nodes where it has one for three.
  bool comparable = shape.kind && profile_.calendar().empty() &&
                    std::ranges::all_of(shape.homes, [](const Home& home) {
                      return home.rules.groups->groups.empty();
                    });
  if (comparable) from = std::max(from, floors_.of(shape.kind, spec));
  auto found = earliest_of(spec, shape.homes, std::max(now_, from));
  if (!found) return {};
  if (comparable) floors_.note(shape.kind, spec, found->start);
  before.promised_from = found->start;
  return {std::move(*found)};
}

std::vector<Booking> Pass::earliest_of_all(const Components& components) {
  std::vector<const JobSpec*> specs;
  for (const Job* one : components) specs.push_back(&*one->spec);
  return earliest_together({state_, planner_.book_, planner_.rules_, profile_, planner_.bookings_},
                           specs);
}

std::optional<Booking> Pass::earliest_of(const JobSpec& spec, const std::vector<Home>& homes,
                                         Instant from) {
  return ym::earliest_of({state_, planner_.book_, planner_.rules_, profile_, planner_.bookings_},
                         spec, homes, from);
}

// Notes a promise, new or old.
void Pass::book(Booking booking, const Job& job, const Shape& shape) {
  profile_.promise(booking, *job.spec, is_whole(*job.spec, booking.partition));
  bool counted = shape.queues > 1 && withdraw(job.id);
  plan_.verdicts.promised[job.id] = booking.start;
  plan_.booked.push_back(booking);
  planner_.bookings_[job.id] = std::move(booking);
  if (counted) return;
  bool were_given = promises_are_given(shape);
  if (policy_.promises != kEveryJob || budget_.per_partition_max != kEveryJob)
    for (const Home& home : shape.homes) ++promised_[home.id];
  if (budget_.per_user_max != kEveryJob) ++promised_to_user_[job.spec->uid];
  if (!policy_.passing_order || were_given || !promises_are_given(shape)) return;
  // From here on, the others stand in another order.
  for (Head& head : heads_) head = head_of(*head.line, head.position);
  std::ranges::make_heap(heads_, [](const Head& a, const Head& b) { return b.goes_before(a); });
}

std::optional<Booking> Pass::lift(JobId job) {
  auto at = planner_.bookings_.find(job);
  if (at == planner_.bookings_.end()) return std::nullopt;
  Booking old = std::move(at->second);
  profile_.retract(old);
  planner_.bookings_.erase(at);
  planner_.preemptors_.erase(job);
  floors_.clear();
  return old;
}

std::vector<Booking> Pass::lift(const Components& components) {
  std::vector<Booking> lifted;
  for (const Job* one : components)
    if (auto booking = lift(one->id)) lifted.push_back(std::move(*booking));
  return lifted;
}

// Where the job, or the heterogeneous one that it is a component of, stands in the queue.
const JobQueue::Place* Pass::place_of(JobId id, PartitionId in) const {
  const Job* job = state_.find(id);
  return planner_.queue_.find(job && job->het_job ? job->het_job : id, in);
}

// Those whom a full pass is to promise something anew. One that goes on keeps what it has promised.
void Pass::lift_all() {
  Bookings kept;
  for (auto& [job, booking] : planner_.bookings_) {
    bool is_new = goes_on_ && !planner_.former_.contains(job);
    if (is_new || (planner_.preemptors_.contains(job) && place_of(job, booking.partition))) {
      kept.emplace(job, std::move(booking));
    } else {
      profile_.retract(booking);
      if (budget_.pause) lifted_.push_back(std::move(booking));
    }
  }
  planner_.bookings_ = std::move(kept);
  planner_.former_.clear();
  if (goes_on_) promised_before_pause_ = planner_.bookings_.size();
}

// Whoever was not reached keeps what he was promised before, until the pass goes on.
void Pass::make_pause() {
  plan_.unfinished = true;
  std::set<JobId> started;
  for (const Proposal& start : plan_.starts) {
    started.insert(start.job);
    for (const Proposal& other : start.others) started.insert(other.job);
  }
  for (Booking& booking : lifted_) {
    JobId id = booking.job;
    const Job* job = state_.find(id);
    const JobQueue::Place* place = place_of(id, booking.partition);
    if (!job || !place || started.contains(id) || planner_.bookings_.contains(id)) continue;
    const Line& line = *place->line;
    if (line.seen_in == number_ && (line.is_done || place->position <= line.seen_to)) continue;
    profile_.promise(booking, *job->spec, is_whole(*job->spec, booking.partition));
    planner_.former_.insert(id);
    planner_.bookings_[id] = std::move(booking);
  }
}

// A pass that goes on, as a quick one does, counts what was promised before.
void Pass::count_promises() {
  bool by_partition = policy_.promises != kEveryJob || budget_.per_partition_max != kEveryJob;
  bool by_user = budget_.per_user_max != kEveryJob;
  if (!by_partition && !by_user) return;
  for (const auto& [id, booking] : planner_.bookings_) {
    const JobQueue::Place* place = place_of(id, booking.partition);
    if (!place) continue;
    if (by_partition)
      for (const Home& home : place->line->shape->homes) ++promised_[home.id];
    if (by_user) ++promised_to_user_[state_.jobs.at(id.value).spec->uid];
  }
}

bool Pass::is_closed(const Shape& shape) const {
  return std::ranges::all_of(shape.homes,
                             [&](const Home& home) { return closed_.contains(home.id); });
}

// Nobody passes it in its partitions, unless it could never start at all.
void Pass::close(const Shape& shape, Verdict& verdict) {
  Diagnosis found = diagnose(state_, *state_.jobs.at(verdict.head.value).spec, planner_.rules_);
  if (verdict.reason == Reason::Resources) {
    verdict.reason = found.reason;
    verdict.text = std::move(found.text);
  }
  if (found.reason == Reason::PartitionConfig || found.reason == Reason::BadConstraints) return;
  for (const Home& home : shape.homes) closed_.insert(home.id);
  if (closed_.size() == planner_.book_.pools().size()) heads_.clear();
}

}  // namespace ym
