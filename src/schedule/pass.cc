// SPDX-License-Identifier: Apache-2.0
#include "schedule/pass.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "schedule/het.h"
#include "schedule/homes.h"

namespace ym {
namespace {

constexpr std::int64_t kLongestLimit_s = kLengthWithoutLimit / std::chrono::seconds(1);

}  // namespace

Waiting waiting_of(const Job& job) {
  const JobSpec& spec = *job.spec;
  bool unlimited = spec.time_limit_s == 0 || spec.time_limit_s == JobSpec::kUnlimited;
  std::int64_t tasks = std::max(spec.tasks, spec.min_nodes);
  return {.job = job.id,
          .submit = job.submit,
          .eligible = job.eligible,
          .limit_s = unlimited ? kLongestLimit_s : spec.time_limit_s,
          .cpus = tasks * std::max(1u, spec.cpus_per_task),
          .nodes = std::max(1u, spec.min_nodes)};
}

bool Pass::Head::goes_before(const Head& other) const {
  auto coarse = [](const Head& one) {
    return std::tuple(one.passing && one.claimless, one.tier_inverse, one.claimless,
                      one.priority_inverse);
  };
  if (auto order = coarse(*this) <=> coarse(other); order != 0) return order < 0;
  if (auto order = score <=> other.score; order != 0) return order > 0;
  return std::tie(position.submit, position.job) <
         std::tie(other.position.submit, other.position.job);
}

Pass::Pass(Planner& planner, const State& state, Instant now, const PlanBudget& budget, bool full)
    : planner_(planner),
      state_(state),
      now_(now),
      budget_(budget),
      full_(full),
      policy_(*planner.policy_),
      profile_(planner.book_, state, planner.bookings_, now),
      goes_on_(full && planner.unfinished_ != 0),
      number_(goes_on_ ? planner.unfinished_ : profile_.pass()) {
  figures_ = {.now = now,
              .cpus = std::max<std::int64_t>(1, planner.book_.cpus()),
              .waiting = static_cast<std::int64_t>(planner.queue_.pending())};
  if (budget_.clock) asked_since_ = budget_.clock();
  plan_.based_on = state_.seq;
  plan_.quick = !full_;
  plan_.tally.waiting = planner.queue_.pending();
}

// What is asked from here on; returns what was asked before.
PlanQuestion Pass::turn_to(PlanQuestion question) {
  if (budget_.clock) {
    std::chrono::nanoseconds now = budget_.clock();
    plan_.tally.took[static_cast<std::size_t>(asked_now_)] += now - asked_since_;
    asked_since_ = now;
  }
  return std::exchange(asked_now_, question);
}

Plan Pass::run() {
  if (policy_.keeps_promises)
    compress();
  else if (full_)
    lift_all();
  if (!full_ || goes_on_) count_promises();
  gather_heads();
  bool may_pause = full_ && budget_.pause && !policy_.nobody_passes && !policy_.keeps_promises;
  while (!heads_.empty()) {
    if (plan_.starts.size() >= budget_.starts_max) {
      plan_.cut_short = true;
      // What was not reached is looked at again.
      for (const Head& head : heads_) head.line->shape->is_awake = true;
      break;
    }
    if (may_pause && budget_.pause()) {
      make_pause();
      break;
    }
    step();
  }
  if (full_) planner_.unfinished_ = plan_.unfinished ? number_ : 0;
  plan_.work = profile_.work();
  sum_up();
  turn_to(PlanQuestion::WhoseTurn);
  return std::move(plan_);
}

void Pass::sum_up() {
  PlanTally& tally = plan_.tally;
  tally.promised = plan_.booked.size();
  tally.started = plan_.starts.size();
  for (const Proposal& one : plan_.starts)
    if (!one.others.empty()) tally.components += 1 + one.others.size();
  if (plan_.cut_short)
    tally.exit = PlanExit::StartsMax;
  else if (out_of_time_)
    tally.exit = PlanExit::OutOfTime;
  else if (full_ && deep_enough_)
    tally.exit = budget_.more_promises ? PlanExit::OutOfTime : PlanExit::PromisesMax;
}

// --- the queue ---

Pass::Head Pass::head_of(Line& line, const Position& position) const {
  const Shape& shape = *line.shape;
  // One that comes back to the nodes that are kept for it goes before everybody.
  bool expedited = shape.spec->extras->specials->keeps != 0;
  Head head{.passing = !expedited && policy_.passing_order && promises_are_given(shape),
            .claimless = !expedited && planner_.book_.leaving_for(position.job) == 0 &&
                         !planner_.preemptors_.contains(position.job),
            .tier_inverse = expedited ? 0 : ~shape.tier,
            .priority_inverse = position.priority_inverse,
            .score = {},
            .position = position,
            .line = &line};
  const PriorityRule& rule = planner_.queue_.rule();
  ScoreOf order = head.passing ? policy_.passing_order : policy_.order;
  if (!rule.at && !order) return head;
  const Job& job = state_.jobs.at(position.job.value);
  if (rule.at) {
    const Partition* in = shape.in.empty() || !rule.in ? nullptr : state_.find(shape.in.front());
    head.priority_inverse = ~(in ? rule.in(job, *in->spec, now_) : rule.at(job, now_));
  }
  if (order) head.score = order(waiting_of(job), figures_);
  const auto& arranged = planner_.arranged_;
  if (auto at = arranged.find(job.id); at != arranged.end()) head.score.rank = at->second;
  return head;
}

void Pass::push(Line& line, const Position& position) {
  heads_.push_back(head_of(line, position));
  std::ranges::push_heap(heads_, [](const Head& a, const Head& b) { return b.goes_before(a); });
}

Pass::Head Pass::pop() {
  std::ranges::pop_heap(heads_, [](const Head& a, const Head& b) { return b.goes_before(a); });
  Head head = heads_.back();
  heads_.pop_back();
  return head;
}

void Pass::advance(const Head& head) {
  head.line->is_done = false;
  auto next = head.line->jobs.upper_bound(head.position);
  if (next != head.line->jobs.end()) push(*head.line, *next);
}

// Could something that changed since the last pass help it?
bool Pass::is_awake(const Shape& shape) const {
  if (shape.is_awake || shape.is_het || shape.homes_made_for != planner_.generation_) return true;
  const JobExtras& extras = *shape.spec->extras;
  if (!extras.licenses.empty() || !extras.reservation.empty()) return true;
  return std::ranges::any_of(shape.homes, [&](const Home& home) {
    return planner_.book_.pools()[home.pool].awake_cpus >= home.cpus_least;
  });
}

void Pass::make_homes(Shape& shape) {
  if (shape.homes_made_for == planner_.generation_) return;
  shape.homes = homes_of(*shape.spec, state_, planner_.book_, planner_.rules_);
  if (shape.queues > 1) {
    shape.homes_of_all = shape.homes;
    std::erase_if(shape.homes, [&](const Home& home) { return shape.is_elsewhere(home.id); });
  }
  shape.homes_made_for = planner_.generation_;
}

void Pass::gather_heads() {
  for (Shape* shape : planner_.queue_.shapes()) {
    if (!full_ && !is_awake(*shape)) continue;
    if (!goes_on_) shape->is_awake = false;
    make_homes(*shape);
    for (const auto& line : shape->lines) {
      bool seen = goes_on_ && line->seen_in == number_;
      if (seen && line->is_done) continue;
      auto first = seen ? line->jobs.upper_bound(line->seen_to) : line->jobs.begin();
      if (first != line->jobs.end()) heads_.push_back(head_of(*line, *first));
    }
  }
  std::ranges::make_heap(heads_, [](const Head& a, const Head& b) { return b.goes_before(a); });
}

// --- one job ---

// Takes the job at the head of the queue: starts it, or blocks its shape for the rest of the pass.
void Pass::step() {
  Head head = pop();
  ++plan_.tally.looked_at;
  Shape& shape = *head.line->shape;
  Shape::Found& found = found_of(shape);
  if (full_) {
    head.line->seen_in = number_;
    head.line->seen_to = head.position;
    head.line->is_done = true;
  }
  const Job& job = state_.jobs.at(head.position.job.value);
  if (policy_.nobody_passes && is_closed(shape)) return;
  // What holds for one of a shape holds for all, unless reservations draw some users' jobs in, or
  // room is kept for this one.
  bool is_due = may_start_as_promised(job);
  bool is_blocked = found.blocked_in == number_ && !profile_.calendar().is_personal() && !is_due;
  if (shape.queues > 1 && is_settled_elsewhere(job, shape)) return advance(head);
  if (keeps_waiting(job, shape)) return advance(head);
  if (!full_ && !is_blocked && stays_blocked(job, shape)) return;
  std::optional<Booking> old;
  if (is_due) {
    Components components = components_of(state_, job);
    std::vector<Booking> lifted = lift(components);
    if (!start_as_promised(components, lifted, shape))
      note_what_was_not_kept();
    else if (!job.array || elements_left(job) == 0)
      return advance(head);
  } else if (job.het_job) {
    lift(components_of(state_, job));  // it is promised anew
  } else {
    old = lift(job.id);
  }
  bool keeps_old = old && shape.is_elsewhere(old->partition);
  if (is_blocked) {
    if (keeps_old) {
      keep_or_promise_sooner(std::move(*old), job, shape);
      return advance(head);
    }
    if (old && !full_) return book(std::move(*old), job, shape);
    if (!is_due_a_promise(job, shape)) return;
    Verdict verdict{.reason = Reason::Resources, .head = job.id, .expected_start = {}, .text = {}};
    if (auto same = plan_.verdicts.shapes.find(shape.hash); same != plan_.verdicts.shapes.end())
      verdict.reason = same->second.reason;
    if (promise(components_of(state_, job), shape, verdict)) advance(head);
    return;
  }
  Verdict verdict{.reason = Reason::None, .head = job.id, .expected_start = {}, .text = {}};
  if (job.het_job)
    try_together(components_of(state_, job), verdict);
  else if (waits_for_better_place(job, shape))
    return advance(head);
  else if (!start_elements(job, shape, verdict))
    return advance(head);  // its array is full
  if (verdict.reason == Reason::None) return advance(head);
  if (others_make_room(job, shape, verdict)) return advance(head);
  found = {.blocked_in = number_, .promised_from = now_};
  if (keeps_old) {
    keep_or_promise_sooner(std::move(*old), job, shape);
    verdict.expected_start = planner_.bookings_.at(job.id).start;
    note_verdict(job, shape, std::move(verdict));
    return advance(head);
  }
  bool waits = verdict.reason == Reason::Resources || verdict.reason == Reason::Licenses;
  if (old && !full_ && waits) {
    verdict.expected_start = old->start;
    note_verdict(job, shape, std::move(verdict));
    return book(std::move(*old), job, shape);
  }
  if (blocked(job, shape, std::move(verdict)) || profile_.calendar().is_personal()) advance(head);
}

// The time that it was promised, and that was kept for it, has come.
bool Pass::may_start_as_promised(const Job& job) const {
  if (!policy_.keeps_promises) return false;
  auto at = planner_.bookings_.find(job.id);
  return at != planner_.bookings_.end() && at->second.start <= now_;
}

// A promise that was kept and is not due yet: nothing is asked again.
bool Pass::keeps_waiting(const Job& job, Shape& shape) {
  if (!policy_.keeps_promises) return false;
  auto at = planner_.bookings_.find(job.id);
  if (at == planner_.bookings_.end() || at->second.start <= now_) return false;
  if (shape.is_elsewhere(at->second.partition)) return false;  // here it may have one sooner
  if (shape.queues > 1) withdraw(job.id);
  note_verdict(job, shape,
               {.reason = at->second.waits_for,
                .head = job.id,
                .expected_start = at->second.start,
                .text = {}});
  for (const Job* one : components_of(state_, job)) {
    const Booking& kept = planner_.bookings_.at(one->id);
    plan_.verdicts.promised[one->id] = kept.start;
    plan_.booked.push_back(kept);
  }
  return true;
}

// There is a promise from before, and no room now, whoever it is promised to.
bool Pass::stays_blocked(const Job& job, Shape& shape) {
  if (job.het_job || !profile_.calendar().empty()) return false;
  const PreemptRules& preempt = planner_.preempt_;
  if (preempt.by != PreemptBy::Nothing || preempt.cluster.gang) return false;  // others may go
  if (!planner_.bookings_.contains(job.id)) return false;
  for (const Home& home : shape.homes)
    if (profile_.has_room_now(*job.spec, home)) return false;
  found_of(shape) = {.blocked_in = number_, .promised_from = now_};
  return true;
}

// As many of its elements as fit; a job that is no array has one. False if its array's limit allows
// none.
bool Pass::start_elements(const Job& job, Shape& shape, Verdict& verdict) {
  Asks asks(*this, PlanQuestion::FitsNow);
  std::uint32_t left = elements_that_may_start(job);
  if (left == 0) {
    plan_.verdicts.jobs[job.id] = Reason::JobArrayTaskLimit;
    return false;
  }
  while (left > 0 && plan_.starts.size() < budget_.starts_max) {
    std::optional<Proposal> proposal = try_start(job, shape.homes, verdict);
    if (!proposal) break;
    proposal->shape = shape.hash;
    take(*proposal, job);
    if (job.array_max_running) ++array_started_[job.array_job];
    plan_.starts.push_back(std::move(*proposal));
    --left;
    if (shape.queues > 1) note_start(job, shape);
  }
  if (left == 0 && job.array && job.array_max_running && elements_that_may_start(job) == 0)
    plan_.verdicts.jobs[job.id] = Reason::JobArrayTaskLimit;
  if (left > 0 && verdict.reason == Reason::None) shape.is_awake = true;
  return true;
}

// Elements of an array that its limit allows to start now; 1 for any other job. An element with a
// record of its own (requeued, held for a while) counts like those without.
std::uint32_t Pass::elements_that_may_start(const Job& job) {
  std::uint32_t waiting = elements_left(job);
  if (job.array_max_running == 0) return waiting;
  std::uint32_t running = planner_.book_.running_of_array(job.array_job);
  if (auto more = array_started_.find(job.array_job); more != array_started_.end())
    running += more->second;
  std::uint32_t limit = job.array_max_running;
  return running >= limit ? 0 : std::min(waiting, limit - running);
}

// Those that this pass has not proposed.
std::uint32_t Pass::elements_left(const Job& job) const {
  if (!job.array) return 1;
  auto left = arrays_.find(job.id);
  return left == arrays_.end() ? job.array->waiting.count() : left->second.count();
}

std::uint32_t Pass::next_task(const Job& job) {
  IndexSet& left = arrays_.try_emplace(job.id, job.array->waiting).first->second;
  return left.pop_front().value_or(kNoTask);
}

// It starts in another of its queues, or others make room for it there.
bool Pass::is_settled_elsewhere(const Job& job, const Shape& shape) const {
  if (started_.contains(job.id)) return true;
  auto promised = planner_.bookings_.find(job.id);
  return promised != planner_.bookings_.end() && planner_.preemptors_.contains(job.id) &&
         shape.is_elsewhere(promised->second.partition);
}

// What it was promised in another of its queues stands, unless this one has something sooner.
void Pass::keep_or_promise_sooner(Booking old, const Job& job, Shape& shape) {
  Asks asks(*this, PlanQuestion::When);
  if (is_due_a_promise(job, shape)) {
    std::vector<Booking> found = earliest({&job}, shape);
    if (!found.empty() && found.front().start < old.start) {
      found.front().job = job.id;
      found.front().waits_for = old.waits_for;
      old = std::move(found.front());
    }
  }
  book(std::move(old), job, shape);
}

// Of what this pass has said it promises; true if it had.
bool Pass::withdraw(JobId job) {
  plan_.verdicts.promised.erase(job);
  return std::erase_if(plan_.booked, [&](const Booking& one) { return one.job == job; }) > 0;
}

void Pass::note_start(const Job& job, const Shape& shape) {
  if (shape.queues == 1 || (job.array && elements_left(job) > 0)) return;
  started_.insert(job.id);
  withdraw(job.id);
}

void Pass::note_verdict(const Job& job, const Shape& shape, Verdict verdict) {
  if (job.het_job) {
    plan_.verdicts.het[job.id] = std::move(verdict);
    return;
  }
  // Of several queues, the one where it only waits for room says more than one where it may not
  // run; and the last one says how soon it starts.
  auto before =
      shape.queue > 0 ? plan_.verdicts.shapes.find(shape.hash) : plan_.verdicts.shapes.end();
  bool waits = before != plan_.verdicts.shapes.end() && verdict.reason == Reason::Resources;
  if (waits && (before->second.reason != Reason::Resources || before->second.head == verdict.head))
    before->second = std::move(verdict);
  else
    plan_.verdicts.shapes.try_emplace(shape.hash, std::move(verdict));
}

// It does not fit now. True if the next job of its line should be looked at, too.
bool Pass::blocked(const Job& job, Shape& shape, Verdict verdict) {
  bool licenses = verdict.reason == Reason::Licenses;
  bool waits_for_room =
      licenses || verdict.reason == Reason::Resources || verdict.reason == Reason::ReqNodeNotAvail;
  bool promised = false;
  if (waits_for_room && policy_.nobody_passes)
    close(shape, verdict);
  else if (waits_for_room && is_due_a_promise(job, shape))
    promised = promise(components_of(state_, job), shape, verdict);
  else if (waits_for_room && !licenses)
    return false;  // who has no verdict waits for its turn
  note_verdict(job, shape, std::move(verdict));
  return promised;
}

bool Pass::no_time_left() {
  if (!out_of_time_ && budget_.out_of_time) out_of_time_ = budget_.out_of_time();
  return out_of_time_;
}

}  // namespace ym
