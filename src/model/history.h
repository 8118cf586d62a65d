// SPDX-License-Identifier: Apache-2.0
// What sacct asks the controller: jobs and their steps, those that have ended among them, as long
// as it still knows them.
#pragma once
#include <vector>

#include "base/time.h"
#include "model/job_messages.h"
#include "model/step_messages.h"

namespace ym {

// A job is told of if it was known to the cluster at some moment from `since` to `until`; not set:
// from the beginning, or up to now. With states: if it was in one of them in that time.
struct QueryHistory {
  JobFilter filter;
  Instant since, until;
  bool steps = true;
};
struct HistoryRow {
  JobRow job;
  std::vector<StepRow> steps;  // in the order in which they began
};
struct HistoryRows {
  std::vector<HistoryRow> rows;
};

}  // namespace ym
