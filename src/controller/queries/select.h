// SPDX-License-Identifier: Apache-2.0
// Which jobs a filter means. Pure questions to a snapshot; safe on any thread.
#pragma once
#include <functional>
#include <set>

#include "model/job_messages.h"
#include "model/state.h"

namespace ym {

// Does the job match everything in the filter except its targets?
class FilterMatch {
 public:
  FilterMatch(const JobFilter& filter, const State& state);
  bool operator()(const Job& job) const;

 private:
  bool state_matches(const Job& job) const;
  const JobFilter& filter_;
  std::set<NodeId> nodes_;
};

// Calls visit(job) for every job from `from` on that the filter selects, in ascending order of ids;
// stops when it returns false. With targets: O(targets × log jobs, plus the elements with records
// for N and N_[…]); without: O(jobs). Elements that were named and have no record are shown as if
// they had one, up to a number.
void for_each_selected(const State& state, const JobFilter& filter,
                       const std::function<bool(const Job&)>& visit, JobId from = {});

// The record behind a target: a job, an array's common record, or an element; several for a whole
// array.
std::set<JobId> records_of(const State& state, const JobTarget& target);

}  // namespace ym
