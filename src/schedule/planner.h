// SPDX-License-Identifier: Apache-2.0
// The planner: keeps the queue in order and proposes what to start.
//
// It follows the log. observe() folds each event into its own indexes at the cost of the change, so
// a million pending jobs are not looked at again because one ended; plan() visits lines of jobs
// alike, not jobs. See README.md for the questions and the files.
//
// Thread rule: one owner; it may live on a thread of its own, fed with events and snapshots.
#pragma once
#include <map>
#include <optional>
#include <set>

#include "model/event.h"
#include "model/state.h"
#include "schedule/book.h"
#include "schedule/experience.h"
#include "schedule/plan.h"
#include "schedule/policy.h"
#include "schedule/profile.h"
#include "schedule/queue.h"

namespace ym {

class Planner {
 public:
  explicit Planner(PlacementRules rules) : rules_(rules) {}
  Planner(Planner&&) = default;
  Planner& operator=(Planner&&) = default;

  // Starts anew from a state. O(jobs + nodes).
  void rebuild(const State& state);
  void set_rules(PlacementRules rules);
  // Both: promises that were given before do not count. O(jobs) when the next plan is made.
  void set_policy(const Policy& policy);
  void set_priority(PriorityRule rule);
  const Policy& policy() const { return *policy_; }
  // Serves jobs in the order of these starts, as another planner found them, and arranges nothing
  // itself; for policies with an order of their own.
  void follow(const std::map<JobId, Instant>& starts);
  void set_preemption(const PreemptRules& rules);

  // REQUIRES: `state` is the state right after `event` (and possibly later ones of the same batch).
  // O(log jobs + the job's nodes) for an event about one job.
  void observe(const Event& event, const State& state);

  // REQUIRES: every event of `state` was observed.
  // Quick: O(shapes + what changed); full: O(shapes × partition's nodes); see bench/. A full pass
  // makes pauses as the budget says; quick ones may come in between.
  Plan plan(const State& state, Instant now, const PlanBudget& budget);

  // When, after that moment, the next job becomes eligible by its begin time, the next reservation
  // starts, the next kept promise or a full pass is due, or somebody may be preempted who is exempt
  // as yet; kNever if none does.
  Instant next_begin(Instant after) const;
  // A full pass has made a pause.
  bool is_unfinished() const { return unfinished_ != 0 || arranging_; }
  std::size_t shapes() const { return queue_.shapes().size(); }
  std::size_t pending() const { return queue_.pending(); }

 private:
  friend class Pass;

  // What a job waits for, and where.
  struct Standing {
    std::uint64_t shape = 0;
    Position position;
  };
  std::optional<Standing> standing_of(JobId id) const;
  void refresh(JobId id, const State& state);
  bool is_full_pass(const PlanBudget& budget, Instant now) const;
  std::uint64_t work_of_full_pass(const PlanBudget& budget) const;

  PlacementRules rules_;
  const Policy* policy_ = &default_policy();
  PriorityRule priority_;
  PreemptRules preempt_;
  JobQueue queue_;
  Book book_;
  Bookings bookings_;  // promises of the last pass; they stand in the book's tracks, too
  std::map<ReservationId, std::pair<Instant, Instant>> reservations_;  // when they start and end
  std::uint64_t kept_seen_ = 0;                                        // State::kept_changes
  std::uint64_t generation_ =
      1;  // of nodes, partitions and rules: what shapes remember ends with it
  Instant last_full_, last_plan_;
  Duration full_every_{0};
  // The full pass that has made a pause, or 0; and who is still to be promised something by it.
  // What they were promised before is kept meanwhile: no quick pass gives it away.
  std::uint64_t unfinished_ = 0;
  std::set<JobId> former_;
  bool owes_full_ = false;  // the last pass was a quick one
  bool stale_ = false;      // the configuration changed: start anew before the next plan
  // Others have made room for these, or are about to: what they were promised is kept until it is
  // their turn again, also from those before them in the queue.
  std::set<JobId> preemptors_;
  // What the last pass proposed as it had promised it, until it is seen to start: who is refused by
  // the core has not lost his place.
  Bookings offered_;
  bool eased_late_ = false;         // by the last pass, after it had let others move up
  bool someone_is_late_ = false;    // and somebody waits only for him
  Instant preempt_again_ = kNever;  // when somebody may be asked to make room who is exempt as yet
  // When something else may be found though nothing has changed: a wait for switches is over.
  Instant look_again_ = kNever;
  bool all_changed_ = true;
  Experience experience_;
  // The order in which the policy wants jobs to be served; the higher goes first.
  using Ranks = std::map<JobId, std::int64_t>;
  Ranks arranged_;        // by the last full pass
  bool follows_ = false;  // and it stays so
  // A full pass that made a pause while it arranged: it has looked at nothing else as yet.
  struct Arranging {
    Ranks ranks;
    std::set<PartitionId> grounds;  // those that are done, by name
  };
  std::optional<Arranging> arranging_;
};

}  // namespace ym
