// SPDX-License-Identifier: Apache-2.0
#include "schedule/steering.h"

namespace ym {

void Steering::follow(const Directions& directions, bool cluster_changed) {
  planner_.set_rules(directions.rules);
  planner_.set_preemption(*directions.preempt);
  turn_knobs(directions.parameters);
  count_priorities(directions.priority, directions.preempt->qos, cluster_changed);
}

void Steering::turn_knobs(const std::string& parameters) {
  if (parameters == parameters_) return;
  parameters_ = parameters;
  knobs_ = read_knobs(parameters).knobs;
  planner_.set_policy(*knobs_.policy);
}

// The planner asks for priorities as they are when it plans; nothing is kept of them.
void Steering::count_priorities(const PriorityRules& rules, const QosTable& qos,
                                bool cluster_changed) {
  bool new_rules = !(rules == scale_.rules);
  scale_.rules = rules;
  if (rules.counts() && (cluster_changed || new_rules)) scale_.totals = totals_of(state_);
  if (qos_ != qos) {
    qos_ = qos;
    scale_.qos = QosPriorities(qos);
  }
  if (!new_rules) return;
  PriorityRule rule;
  if (rules.counts()) {
    rule.at = [this](const Job& job, Instant now) { return priority_at(job, state_, now, scale_); };
    rule.in = [this](const Job& job, const PartitionSpec& partition, Instant now) {
      return priority_in(job, partition, now, scale_);
    };
    rule.line = priority_line;
  }
  planner_.set_priority(std::move(rule));
}

}  // namespace ym
