// SPDX-License-Identifier: Apache-2.0
// The planner on its own thread: follows the core's batches, proposes, and waits until its
// proposals are dealt with.
#pragma once
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "daemon/driver/core.h"
#include "daemon/slurmctld/published.h"
#include "daemon/slurmctld/queue.h"
#include "schedule/planner.h"
#include "schedule/steering.h"

namespace ym {

// What SchedulerParameters ask for and do not get, for the log.
std::vector<std::string> parameter_warnings(const ClusterConfig& config);

class PlannerLoop {
 public:
  // What the core tells after each batch.
  struct News {
    std::vector<Event> events;
    Snapshot state;
    bool something_to_plan = false;
    bool plan_was_handled = false;
    bool start_anew = false;  // events are missing: the state says it all
    Directions directions;
  };
  using Propose = std::function<void(Plan)>;

  PlannerLoop(const State& state, PlacementRules rules, Published& published, Propose propose);
  ~PlannerLoop();
  // News that a busy planner has no room for are condensed: it then starts anew from the state.
  void tell(News news);
  void stop();

 private:
  void run();
  void take_in(News& news);
  void plan();
  PlanBudget budget(bool only_changes) const;
  void publish(Plan& plan);

  Planner planner_;
  Snapshot state_;
  Steering steering_;
  Verdicts verdicts_;  // the last full pass's, with those of later quick ones
  Verdicts fresh_;     // the same of a full pass that is not over
  Published& published_;
  Propose propose_;
  BoundedQueue<News> queue_;
  std::optional<News> held_back_;  // the teller's own: what did not fit
  bool outstanding_ = false;       // a plan is with the core
  bool wanted_ = true;             // something changed since the last plan
  Instant last_plan_;
  Duration full_after_{0};  // when the whole queue may be looked at again, by the monotonic clock
  bool full_owed_ = false;  // it was too soon for it; only changes were looked at
  bool was_quick_ = false;  // the last pass
  std::chrono::microseconds full_took_{0};  // of a full pass, so far
  PlanTally full_tally_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace ym
