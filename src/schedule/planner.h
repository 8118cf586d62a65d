// SPDX-License-Identifier: Apache-2.0
// The planner: keeps the queue in order and proposes what to start.
//
// It follows the log. observe() folds each event into its own indexes at the cost of the change, so
// a million pending jobs are not looked at again because one ended; plan() visits shapes, not jobs.
//
// Thread rule: one owner; it may live on a thread of its own, fed with events and snapshots.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/state.h"
#include "schedule/calendar.h"
#include "schedule/plan.h"

namespace ym {

class Planner {
 public:
  explicit Planner(PlacementRules rules) : rules_(rules) {}

  // Starts anew from a state. O(jobs).
  void rebuild(const State& state);
  void set_rules(PlacementRules rules) { rules_ = rules; }
  // REQUIRES: `state` is the state right after `event` (and possibly later ones of the same batch).
  // O(log jobs) for an event about one job.
  void observe(const Event& event, const State& state);

  // REQUIRES: every event of `state` was observed.
  // O(shapes log shapes + starts × partition's nodes); see bench/.
  Plan plan(const State& state, Instant now, const PlanBudget& budget) const;

  // When, after that moment, the next job becomes eligible by its begin time or the next
  // reservation starts; kNever if none does.
  Instant next_begin(Instant after) const {
    auto next = begin_times_.lower_bound({after + Duration(1), JobId{0}});
    Instant soonest = next == begin_times_.end() ? kNever : next->first;
    for (const auto& [id, start] : reservations_)
      if (start > after && start < soonest) soonest = start;
    return soonest;
  }
  std::size_t shapes() const { return shapes_.size(); }
  std::size_t pending() const { return where_.size(); }

 private:
  // Order of the queue: lower sorts first.
  struct Rank {
    std::uint32_t tier_inverse, priority_inverse;
    JobId job;
    auto operator<=>(const Rank&) const = default;
  };
  struct Shape {
    std::set<Rank> queue;
  };
  // Where a pending job stands, to find it again when it changes.
  struct Place {
    std::string shape;
    Rank rank;
    Instant begin;
  };
  class Pass;

  void refresh(JobId id, const State& state);
  void remove(JobId id);
  void remove_place(JobId id);
  void enqueue(const Job& job, const State& state);
  Rank rank_of(const Job& job, const State& state) const;

  PlacementRules rules_;
  std::map<std::string, Shape> shapes_;
  std::map<JobId, Place> where_;
  std::set<std::pair<Instant, JobId>> begin_times_;
  std::set<std::pair<Instant, JobId>> running_by_end_;  // who gives resources back when
  std::map<JobId, Instant> running_;
  std::map<ReservationId, Instant> reservations_;  // when they start
};

}  // namespace ym
