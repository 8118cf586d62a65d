// SPDX-License-Identifier: Apache-2.0
#include "schedule/planner.h"

#include <algorithm>
#include <utility>

#include "schedule/pass.h"

namespace ym {
namespace {

// Nodes that a pass may look at without anybody noticing.
constexpr std::uint64_t kSmallWork = 100'000;
// When to look again at who waits for somebody that should be gone.
constexpr Duration kOverdueAgain = std::chrono::seconds(1);

// The job that an event is about; none for events about nodes and partitions.
struct JobOf {
  template <class E>
  JobId operator()(const E& event) const {
    if constexpr (requires { event.job; })
      return event.job;
    else
      return {};
  }
};
struct NodeOf {
  template <class E>
  NodeId operator()(const E& event) const {
    if constexpr (requires { event.node; } && !requires { event.job; })
      return event.node;
    else
      return {};
  }
};

}  // namespace

void Planner::rebuild(const State& state) {
  queue_ = JobQueue();
  queue_.set_order(policy_->order || policy_->passing_order, priority_);
  book_.rebuild(state);
  bookings_.clear();
  preemptors_.clear();
  former_.clear();
  offered_.clear();
  unfinished_ = 0;
  arranging_.reset();
  reservations_.clear();
  state.jobs.for_each([&](std::uint64_t, const Job& job) { queue_.refresh(job, state); });
  state.reservations.for_each(
      [&](std::uint64_t, const Reservation& one) { reservations_[one.id] = {one.start, one.end}; });
  ++generation_;
  stale_ = false;
  all_changed_ = true;
}

void Planner::set_rules(PlacementRules rules) {
  if (rules == rules_) return;
  rules_ = rules;
  ++generation_;
  all_changed_ = true;
}

void Planner::set_policy(const Policy& policy) {
  stale_ = stale_ || policy_ != &policy;
  policy_ = &policy;
}

void Planner::set_priority(PriorityRule rule) {
  priority_ = std::move(rule);
  stale_ = true;
}

void Planner::follow(const std::map<JobId, Instant>& starts) {
  std::vector<std::pair<Instant, JobId>> order;
  for (const auto& [job, start] : starts) order.emplace_back(start, job);
  std::ranges::sort(order);
  arranged_.clear();
  auto rank = static_cast<std::int64_t>(order.size());
  for (const auto& [start, job] : order) arranged_[job] = rank--;
  follows_ = true;
}

void Planner::set_preemption(const PreemptRules& rules) {
  if (rules == preempt_) return;
  preempt_ = rules;
  rules_.takes_turns = rules.cluster.gang;
  ++generation_;
  all_changed_ = true;
}

void Planner::observe(const Event& event, const State& state) {
  bool is_partition = std::holds_alternative<PartitionDefined>(event.body) ||
                      std::holds_alternative<PartitionRemoved>(event.body);
  // Tiers may have changed the order; configuration changes are rare, and many come at once.
  if (is_partition || std::holds_alternative<NodesDefined>(event.body)) {
    stale_ = true;
    return;
  }
  if (stale_) return rebuild(state);
  if (const auto* defined = std::get_if<ReservationDefined>(&event.body)) {
    const Reservation& one = defined->reservation;
    reservations_[one.id] = {one.start, one.end};
    book_.note_ease();
    all_changed_ = true;
  }
  if (const auto* removed = std::get_if<ReservationRemoved>(&event.body)) {
    reservations_.erase(removed->reservation);
    book_.note_ease();
    all_changed_ = true;
  }
  if (std::holds_alternative<LicensesDefined>(event.body)) {
    book_.note_ease();
    all_changed_ = true;
  }
  // What should have been back came back: nobody could tell when it would.
  if (someone_is_late_ && std::holds_alternative<JobNodeReleased>(event.body)) book_.note_ease();
  if (const auto* split = std::get_if<ArrayTaskSplit>(&event.body))
    refresh(split->array_job, state);
  if (const auto* gone = std::get_if<ArrayTasksCancelled>(&event.body))
    refresh(gone->array_job, state);
  if (NodeId node = std::visit(NodeOf{}, event.body)) {
    book_.refresh(node, state);
    book_.note_ease();
    ++generation_;
  }
  if (kept_seen_ != state.kept_changes) {
    kept_seen_ = state.kept_changes;
    ++generation_;
    all_changed_ = true;
  }
  JobId job = std::visit(JobOf{}, event.body);
  if (!job) return;
  // Of a job that goes on without it, too.
  if (const auto* released = std::get_if<JobNodeReleased>(&event.body))
    book_.refresh(released->node, state);
  if (std::holds_alternative<JobFinished>(event.body))
    if (const Job* ended = state.find(job)) experience_.learn(*ended, event.at);
  refresh(job, state);
}

std::optional<Planner::Standing> Planner::standing_of(JobId id) const {
  const JobQueue::Place* place = queue_.find(id);
  if (!place) return std::nullopt;
  return Standing{.shape = place->line->shape->hash, .position = place->position};
}

// Brings the indexes in line with what the job is now, whatever it was before.
void Planner::refresh(JobId id, const State& state) {
  book_.refresh(id, state);
  const Job* job = state.find(id);
  JobId first = job && job->het_job ? job->het_job : id;
  std::optional<Standing> before = standing_of(first);
  if (job)
    queue_.refresh(*job, state);
  else
    queue_.remove(id);
  // It waits for the same as before, no further behind: a promise that is kept is not touched.
  std::optional<Standing> after = standing_of(first);
  bool waits_on =
      before && after && before->shape == after->shape && after->position <= before->position;
  if (policy_->keeps_promises && waits_on) return;
  offered_.erase(id);
  // Whatever it was that happened to it: what it was promised is free for others, until the next
  // pass asks again.
  auto at = bookings_.find(id);
  if (at == bookings_.end()) return;
  for (const NodeShare& share : at->second.allocation.nodes) {
    if (!book_.knows(share.node)) continue;
    drop_promises(book_.track(share.node), id, [](const Promised&) {});
    book_.wake(share.node);
  }
  bool starts_as_promised = job && job->start == at->second.start;
  if (!starts_as_promised) book_.note_ease();
  bookings_.erase(at);
  preemptors_.erase(id);
  former_.erase(id);
}

std::uint64_t Planner::work_of_full_pass(const PlanBudget& budget) const {
  std::size_t promises = std::min({policy_->promises, budget.reservations_max, queue_.pending()});
  return (queue_.shapes().size() + promises) * book_.tracks();
}

bool Planner::is_full_pass(const PlanBudget& budget, Instant now) const {
  if (all_changed_ || policy_->keeps_promises) return true;
  // A reservation that begins or ends concerns everybody, and so does the end of an exemption:
  // it is not kept who waits for it.
  for (const auto& [id, times] : reservations_)
    for (Instant turn : {times.first, times.second})
      if (turn > last_plan_ && turn <= now) return true;
  if (look_again_ <= now) return true;
  if (preempt_again_ <= now) return true;
  if (budget.depth != PlanBudget::Depth::Auto) return budget.depth == PlanBudget::Depth::Full;
  if (now < last_full_ || now - last_full_ >= budget.full_every) return true;
  return work_of_full_pass(budget) <= kSmallWork;
}

Plan Planner::plan(const State& state, Instant now, const PlanBudget& budget) {
  if (stale_) rebuild(state);
  // What was due once is, also if the clock was set back since.
  queue_.wake_until(std::max(now, state.time), state);
  bool full = is_full_pass(budget, now);
  if (full && all_changed_) unfinished_ = 0;
  bool goes_on = full && unfinished_ != 0;
  Pass pass(*this, state, now, budget, full);
  if (full && !goes_on && !pass.arrange()) return pass.end_while_arranging();
  // A quick pass may not look at those who wait for it.
  if (full) preempt_again_ = kNever;
  if (full && !goes_on) look_again_ = kNever;
  Plan plan = pass.run();
  plan.verdicts.note_places(plan.booked);
  if (full && !plan.unfinished) last_full_ = now;
  owes_full_ = !full || plan.unfinished;
  full_every_ = budget.full_every;
  last_plan_ = now;
  all_changed_ = false;
  // One that goes on does not look again at what it has passed.
  if (!goes_on) book_.forget_changes();
  if (std::exchange(eased_late_, false)) book_.note_ease();
  someone_is_late_ = std::ranges::any_of(bookings_, [&](const auto& one) {
    return one.second.start == now + kAnyMoment && policy_->keeps_promises;
  });
  return plan;
}

Instant Planner::next_begin(Instant after) const {
  Instant soonest = queue_.next_begin(after);
  if (owes_full_ && !is_unfinished())
    soonest = std::min(soonest, std::max(last_full_ + full_every_, after + Duration(1)));
  for (const auto& [id, times] : reservations_)
    if (times.first > after && times.first < soonest) soonest = times.first;
  for (Instant again : {preempt_again_, look_again_})
    if (again > after && again < soonest) soonest = again;
  if (policy_->keeps_promises)
    for (const auto& [id, one] : bookings_) {
      if (one.start <= after) continue;
      // Whom it waits for should be gone already: when he is, that is an event.
      bool overdue = one.start <= after + kAnyMoment;
      soonest = std::min(soonest, overdue ? after + kOverdueAgain : one.start);
    }
  return soonest;
}

}  // namespace ym
