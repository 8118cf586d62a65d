// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

namespace ym {

void Verdicts::merge(const Verdicts& newer) {
  for (const auto& [shape, verdict] : newer.shapes) shapes.insert_or_assign(shape, verdict);
  for (const auto& [job, reason] : newer.jobs) jobs.insert_or_assign(job, reason);
  for (const auto& [job, verdict] : newer.het) het.insert_or_assign(job, verdict);
  for (const auto& [job, start] : newer.promised) promised.insert_or_assign(job, start);
  at = newer.at;
}

void PlanTally::add(const PlanTally& other) {
  looked_at += other.looked_at;
  promised += other.promised;
  started += other.started;
  components += other.components;
  waiting = other.waiting;
  exit = other.exit;
  for (std::size_t i = 0; i < kPlanQuestions; ++i) took[i] += other.took[i];
}

}  // namespace ym
