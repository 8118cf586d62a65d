// SPDX-License-Identifier: Apache-2.0
#include "schedule/planner.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "schedule/forecast.h"
#include "schedule/het.h"
#include "schedule/place_gres.h"
#include "schedule/shape.h"

namespace ym {
namespace {

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

JobSpec with_features(const JobSpec& spec, const std::string& features) {
  JobSpec other = spec;
  JobExtras extras = *spec.extras;
  extras.features = features;
  other.extras = Ref(std::move(extras));
  return other;
}

}  // namespace

void Planner::rebuild(const State& state) {
  *this = Planner(rules_);
  state.jobs.for_each([&](std::uint64_t, const Job& job) { refresh(job.id, state); });
  state.reservations.for_each(
      [&](std::uint64_t, const Reservation& one) { reservations_[one.id] = one.start; });
}

void Planner::observe(const Event& event, const State& state) {
  if (std::holds_alternative<PartitionDefined>(event.body)) {
    rebuild(state);  // tiers may have changed the order; configuration changes are rare
    return;
  }
  if (const auto* defined = std::get_if<ReservationDefined>(&event.body))
    reservations_[defined->reservation.id] = defined->reservation.start;
  if (const auto* removed = std::get_if<ReservationRemoved>(&event.body))
    reservations_.erase(removed->reservation);
  if (const auto* split = std::get_if<ArrayTaskSplit>(&event.body))
    refresh(split->array_job, state);
  if (const auto* gone = std::get_if<ArrayTasksCancelled>(&event.body))
    refresh(gone->array_job, state);
  if (JobId job = std::visit(JobOf{}, event.body)) refresh(job, state);
}

Planner::Rank Planner::rank_of(const Job& job, const State& state) const {
  std::uint32_t tier = 0;
  for (const Partition* partition : partitions_of(*job.spec, state))
    tier = std::max(tier, partition->spec->priority_tier);
  return {.tier_inverse = ~tier, .priority_inverse = ~job.priority, .job = job.id};
}

// Brings the indexes in line with what the job is now, whatever it was before.
void Planner::refresh(JobId id, const State& state) {
  remove(id);
  const Job* job = state.find(id);
  if (!job) return;
  if (job->het_job) remove_place(job->het_job);
  if (job->holds_resources()) {
    // A completing job gives its nodes back as soon as they are clean: expect that at once.
    Instant end = job->completing() ? job->end : job->limit_end;
    // Its cpus are free already, and nobody knows when it gives its memory back.
    if (job->state == JobState::Suspended) return;
    running_[id] = end;
    running_by_end_.insert({end, id});
    return;
  }
  enqueue(*job, state);
}

// A heterogeneous job stands in the queue as one, under its first component's id.
void Planner::enqueue(const Job& job, const State& state) {
  std::vector<const Job*> components = components_of(state, job);
  if (!may_start(components)) return;
  const Job& first = *components.front();
  Place place{.shape = shape_key(components),
              .rank = rank_of(first, state),
              .begin = eligible_from(components)};
  shapes_[place.shape].queue.insert(place.rank);
  begin_times_.insert({place.begin, first.id});
  where_.emplace(first.id, std::move(place));
}

void Planner::remove_place(JobId id) {
  auto at = where_.find(id);
  if (at == where_.end()) return;
  auto shape = shapes_.find(at->second.shape);
  shape->second.queue.erase(at->second.rank);
  if (shape->second.queue.empty()) shapes_.erase(shape);
  begin_times_.erase({at->second.begin, id});
  where_.erase(at);
}

void Planner::remove(JobId id) {
  remove_place(id);
  if (auto at = running_.find(id); at != running_.end()) {
    running_by_end_.erase({at->second, id});
    running_.erase(at);
  }
}

// One pass over the queue. Working copies of what is free live only as long as it does.
class Planner::Pass {
 public:
  Pass(const Planner& planner, const State& state, Instant now, const PlanBudget& budget)
      : planner_(planner),
        state_(state),
        now_(now),
        budget_(budget),
        calendar_(state, now),
        licenses_(*state.licenses) {}

  Plan run() {
    plan_.based_on = state_.seq;
    state_.nodes.for_each([&](std::uint64_t, const Node& node) {
      if (node.usable()) free_[node.id] = free_now(node);
    });
    if (calendar_.has_parts())
      for (const auto& [id, end] : planner_.running_)
        calendar_.count(id, *state_.jobs.at(id.value).allocation);
    for (const auto& [key, shape] : planner_.shapes_)
      if (auto first = next_eligible(shape, shape.queue.begin()); first != shape.queue.end())
        heads_.insert({*first, Cursor{&key, &shape}});
    while (!heads_.empty()) {
      if (plan_.starts.size() >= budget_.starts_max) {
        plan_.cut_short = true;
        break;
      }
      step();
    }
    return std::move(plan_);
  }

 private:
  struct Cursor {
    const std::string* key;
    const Shape* shape;
  };

  // Takes the job at the head of the queue: starts it, or blocks its shape for the rest of the
  // pass.
  void step() {
    auto [rank, cursor] = *heads_.begin();
    heads_.erase(heads_.begin());
    const Job& job = state_.jobs.at(rank.job.value);
    std::uint32_t tasks_left = elements_that_may_start(job);
    if (tasks_left == 0) {
      plan_.verdicts.jobs[job.id] = Reason::JobArrayTaskLimit;
      advance(rank, cursor);
      return;
    }
    Verdict verdict{.reason = Reason::None, .head = job.id, .expected_start = {}};
    if (job.het_job) {
      try_together(components_of(state_, job), verdict);
      if (verdict.reason == Reason::None) return advance(rank, cursor);
      plan_.verdicts.het[job.id] = std::move(verdict);
      // No other job of this shape is tried, unless a reservation draws some users' jobs in.
      if (calendar_.is_personal()) advance(rank, cursor);
      return;
    }
    while (tasks_left > 0 && plan_.starts.size() < budget_.starts_max) {
      std::optional<Proposal> proposal = try_start(job, verdict);
      if (!proposal) break;
      take(*proposal, job);
      if (job.array_max_running) ++array_running_[job.array_job];
      plan_.starts.push_back(std::move(*proposal));
      --tasks_left;
    }
    if (tasks_left == 0 && job.array && array_is_full(job))
      plan_.verdicts.jobs[job.id] = Reason::JobArrayTaskLimit;
    if (verdict.reason == Reason::None) {
      advance(rank, cursor);
      return;
    }
    if (verdict.reason == Reason::Resources || verdict.reason == Reason::ReqNodeNotAvail)
      reserve({&job}, verdict);
    // And with it, no other job of this shape is tried.
    plan_.verdicts.shapes.try_emplace(shape_hash(*cursor.key), verdict);
    // Unless a reservation draws some users' jobs in.
    if (calendar_.is_personal()) advance(rank, cursor);
  }

  void advance(const Rank& rank, const Cursor& cursor) {
    auto next = next_eligible(*cursor.shape, cursor.shape->queue.upper_bound(rank));
    if (next != cursor.shape->queue.end()) heads_.insert({*next, cursor});
  }

  // Jobs whose begin time is still to come are passed over; they are few, or at the end of their
  // shape's queue.
  std::set<Rank>::const_iterator next_eligible(const Shape& shape,
                                               std::set<Rank>::const_iterator at) const {
    // What was due once is, also if the clock was set back since.
    Instant reached = std::max(now_, state_.time);
    while (at != shape.queue.end() && planner_.where_.at(at->job).begin > reached) ++at;
    return at;
  }

  // Elements of an array that its limit allows to start now; 1 for any other job. An element with a
  // record of its own (requeued, held for a while) counts like those without.
  std::uint32_t elements_that_may_start(const Job& job) {
    std::uint32_t waiting = job.array ? job.array->waiting.count() : 1;
    if (job.array_max_running == 0) return waiting;
    auto [running, fresh] = array_running_.try_emplace(job.array_job, 0);
    if (fresh) {
      for (const auto& [id, end] : planner_.running_) {
        const Job& other = state_.jobs.at(id.value);
        running->second += other.array_job == job.array_job && !other.completing();
      }
    }
    std::uint32_t limit = job.array_max_running;
    return running->second >= limit ? 0 : std::min(waiting, limit - running->second);
  }

  bool array_is_full(const Job& job) const {
    auto running = array_running_.find(job.array_job);
    return running != array_running_.end() && running->second >= job.array_max_running;
  }

  std::optional<Proposal> try_start(const Job& job, Verdict& verdict) {
    const JobSpec& spec = *job.spec;
    Instant end = latest_end(spec, now_);
    if (auto proposal = try_until(job, end, verdict)) return proposal;
    if (spec.time_min_s == 0 || spec.time_min_s >= spec.time_limit_s) return std::nullopt;
    // With less time, if --time-min allows it: as long as nobody is kept waiting.
    Instant least = now_ + std::chrono::seconds(spec.time_min_s);
    auto proposal = try_until(job, least, verdict);
    if (!proposal) return std::nullopt;
    // What reservations leave is not looked into: it gets what it needs at least.
    if (calendar_.empty()) proposal->end = std::max(least, free_until(proposal->allocation, end));
    auto limit = std::chrono::duration_cast<std::chrono::seconds>(proposal->end - now_).count();
    proposal->time_limit_s = static_cast<std::uint32_t>(limit);
    return proposal;
  }

  // All components of a heterogeneous job, or none of them.
  void try_together(const std::vector<const Job*>& components, Verdict& verdict) {
    std::map<NodeId, Free> free_before = free_;
    Licenses licenses_before = licenses_;
    std::vector<Proposal> proposals;
    for (const Job* one : components) {
      std::optional<Proposal> proposal = try_until(*one, latest_end(*one->spec, now_), verdict);
      if (!proposal) break;
      take(*proposal, *one);
      proposals.push_back(std::move(*proposal));
    }
    if (proposals.size() == components.size()) {
      Proposal first = std::move(proposals.front());
      first.others.assign(std::make_move_iterator(proposals.begin() + 1),
                          std::make_move_iterator(proposals.end()));
      plan_.starts.push_back(std::move(first));
      return;
    }
    verdict.head = components[proposals.size()]->id;
    free_ = std::move(free_before);
    licenses_ = std::move(licenses_before);
    if (calendar_.has_parts())
      for (const Proposal& proposal : proposals) calendar_.uncount(proposal.allocation);
    if (verdict.reason == Reason::Resources || verdict.reason == Reason::ReqNodeNotAvail)
      reserve(components, verdict);
  }

  std::optional<Proposal> try_until(const Job& job, Instant end, Verdict& verdict) {
    std::vector<Calendar::Stay> stays = calendar_.stays(*job.spec, now_, end);
    verdict.reason = stays.empty() ? Reason::Reservation : Reason::PartitionDown;
    if (stays.empty()) return std::nullopt;
    for (const Partition* partition : partitions_of(*job.spec, state_)) {
      Reason reason = refusal_of(*partition->spec, *job.spec);
      if (reason != Reason::None) {
        if (verdict.reason != Reason::Resources) verdict.reason = reason;
        continue;
      }
      for (const Calendar::Stay& stay : stays) {
        std::optional<Allocation> allocation = allocate(job, *partition, stay, verdict);
        if (!allocation) continue;
        verdict.reason = Reason::None;
        return Proposal{.job = job.id,
                        .array_task = job.array ? next_task(job) : kNoTask,
                        .partition = partition->id,
                        .shape = shape_hash(shape_key(*job.spec)),
                        .allocation = std::move(*allocation),
                        .end = end};
      }
    }
    return std::nullopt;
  }

  // What the job would get in the partition during that stay; the verdict says why it is nothing.
  std::optional<Allocation> allocate(const Job& job, const Partition& partition,
                                     const Calendar::Stay& stay, Verdict& verdict) const {
    std::optional<std::string> held = choose_licenses(*job.spec, licenses_, calendar_, stay);
    if (!held) {
      if (verdict.reason != Reason::Resources) verdict.reason = Reason::Licenses;
      return std::nullopt;
    }
    bool maintained = false;
    std::optional<Allocation> allocation;
    // --prefer: with these features if there is room, in place of --constraint.
    if (const std::string& wish = job.spec->extras->specials->prefer; !wish.empty())
      allocation = place_in(with_features(*job.spec, wish), partition, stay, maintained);
    if (!allocation) allocation = place_in(*job.spec, partition, stay, maintained);
    if (!allocation) {
      verdict.reason = maintained ? Reason::ReqNodeNotAvail : Reason::Resources;
      return std::nullopt;
    }
    allocation->licenses = std::move(*held);
    if (stay.in) allocation->reservation = stay.in->name;
    return allocation;
  }

  std::optional<Allocation> place_in(const JobSpec& spec, const Partition& partition,
                                     const Calendar::Stay& stay, bool& maintained) const {
    return place(spec, candidates_for(spec, partition, stay, maintained),
                 rules_in(*partition.spec, planner_.rules_));
  }

  // What is free now on nodes that no earlier job has been promised, or that this one gives back in
  // time.
  std::vector<Free> candidates_for(const JobSpec& spec, const Partition& partition,
                                   const Calendar::Stay& stay, bool& maintained) const {
    Instant end = stay.to;
    std::vector<Free> candidates;
    for (const Node* node : admitted_nodes(state_, partition, spec)) {
      auto free = free_.find(node->id);
      if (free == free_.end()) continue;
      auto promised = promised_.find(node->id);
      if (promised != promised_.end() && promised->second < end) continue;
      Free left = free->second;
      if (!calendar_.empty() && !calendar_.clip(left, stay)) {
        maintained = maintained || calendar_.in_maintenance(node->id, stay);
        continue;
      }
      candidates.push_back(left);
    }
    return candidates;
  }

  Instant free_until(const Allocation& allocation, Instant end) const {
    for (const NodeShare& share : allocation.nodes)
      if (auto promised = promised_.find(share.node); promised != promised_.end())
        end = std::min(end, promised->second);
    return end;
  }

  std::uint32_t next_task(const Job& job) {
    IndexSet& left = arrays_.try_emplace(job.id, job.array->waiting).first->second;
    return left.pop_front().value_or(kNoTask);
  }

  void take(const Proposal& proposal, const Job& job) {
    const Partition& partition = *state_.find(proposal.partition);
    bool whole = job.spec->exclusive || rules_in(*partition.spec, planner_.rules_).whole_nodes;
    for (const NodeShare& share : proposal.allocation.nodes) {
      Free& free = free_.at(share.node);
      free.cpus = whole ? 0 : free.cpus - share.cpus;
      free.memory_mb -= std::min(free.memory_mb, share.memory_mb);
      if (free.idle) free.owner = job.spec->uid;
      free.several_owners = !free.idle && (free.several_owners || free.owner != job.spec->uid);
      free.for_user = free.for_user || job.spec->extras->specials->exclusive_kind == kExclusiveUser;
      free.idle = false;
      hold_gres(proposal.allocation, free);
    }
    take_licenses(proposal.allocation.licenses, licenses_);
    if (calendar_.has_parts()) calendar_.count({}, proposal.allocation);
  }

  // The earliest time at which the blocked job could start: the nodes that it would then get are
  // promised to it, and whoever would still be there is not backfilled onto them. For the first few
  // blocked jobs only.
  void reserve(const std::vector<const Job*>& components, Verdict& verdict) {
    if (plan_.booked.size() >= budget_.reservations_max) {
      verdict.reason = Reason::Priority;
      return;
    }
    Outlook outlook{.now = now_,
                    .rules = planner_.rules_,
                    .free = free_,
                    .returns = returns_in_order(),
                    .booked = &plan_.booked,
                    .calendar = &calendar_};
    std::vector<const JobSpec*> specs;
    for (const Job* one : components) specs.push_back(&*one->spec);
    std::vector<Booking> bookings = forecast_together(state_, specs, outlook);
    if (bookings.empty() && verdict.reason == Reason::ReqNodeNotAvail) return;  // maintenance
    if (bookings.empty()) {
      Diagnosis found = diagnose(state_, *state_.jobs.at(verdict.head.value).spec, planner_.rules_);
      verdict.reason = found.reason;
      verdict.text = std::move(found.text);
      return;
    }
    verdict.expected_start = bookings.front().start;
    for (std::size_t i = 0; i < bookings.size(); ++i) {
      Booking& booking = bookings[i];
      booking.job = components[i]->id;
      for (const NodeShare& share : booking.allocation.nodes) {
        auto [promise, fresh] = promised_.try_emplace(share.node, booking.start);
        if (!fresh) promise->second = std::min(promise->second, booking.start);
      }
      plan_.booked.push_back(std::move(booking));
    }
  }

  // Who gives what back when: those that run, and those that this very pass starts.
  std::vector<Return> returns_in_order() const {
    std::vector<Return> returns;
    for (const auto& [end, id] : planner_.running_by_end_)
      returns.push_back({end, &*state_.jobs.at(id.value).allocation});
    for (const Proposal& start : plan_.starts) {
      returns.push_back({start.end, &start.allocation});
      for (const Proposal& other : start.others) returns.push_back({other.end, &other.allocation});
    }
    // Those of one moment are given back together, so their order does not matter.
    std::ranges::sort(returns, {}, &Return::at);
    return returns;
  }

  const Planner& planner_;
  const State& state_;
  Instant now_;
  PlanBudget budget_;
  Calendar calendar_;
  Licenses licenses_;  // with those that this pass takes
  Plan plan_;
  std::map<NodeId, Free> free_;
  std::map<NodeId, Instant> promised_;  // from when on the node is promised to a blocked job
  std::map<Rank, Cursor> heads_;        // the first untried job of each shape that is not blocked
  std::map<JobId, IndexSet> arrays_;    // elements not yet proposed in this pass
  std::map<JobId, std::uint32_t> array_running_;  // of arrays with a limit, the proposed included
};

Plan Planner::plan(const State& state, Instant now, const PlanBudget& budget) const {
  return Pass(*this, state, now, budget).run();
}

}  // namespace ym
