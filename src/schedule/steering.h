// SPDX-License-Identifier: Apache-2.0
// A planner set up as slurm.conf says: placement, preemption, policy and knobs, priorities. One
// place for slurmctld and for replays, so that both plan alike.
#pragma once
#include <string>

#include "base/ref.h"
#include "model/preempt.h"
#include "schedule/knobs.h"
#include "schedule/planner.h"
#include "schedule/priority.h"

namespace ym {

// What a configuration says of planning.
struct Directions {
  PlacementRules rules;
  PriorityRules priority;
  Ref<PreemptRules> preempt;
  std::string parameters;  // SchedulerParameters
};

class Steering {
 public:
  // REQUIRES: both stay where they are for as long as the planner plans.
  Steering(Planner& planner, const State& state) : planner_(planner), state_(state) {}
  Steering(const Steering&) = delete;
  Steering& operator=(const Steering&) = delete;

  // Cheap if nothing is new. `cluster_changed`: nodes or partitions have, so that factors are
  // shares of something else.
  void follow(const Directions& directions, bool cluster_changed);
  // What accounting knows of fair share.
  void set_shares(ShareTable shares) { scale_.shares = std::move(shares); }

  const SchedulerKnobs& knobs() const { return knobs_; }
  const PriorityScale& scale() const { return scale_; }

 private:
  void turn_knobs(const std::string& parameters);
  void count_priorities(const PriorityRules& rules, const QosTable& qos, bool cluster_changed);

  Planner& planner_;
  const State& state_;
  std::string parameters_;
  SchedulerKnobs knobs_;
  QosTable qos_;
  PriorityScale scale_;
};

}  // namespace ym
