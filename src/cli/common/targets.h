// SPDX-License-Identifier: Apache-2.0
// Jobs, steps, states and lists as users write them on command lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/job_messages.h"
#include "model/step_messages.h"

namespace ym::cli {

// "7,8_3,9_[1-4],10.0,10.batch"
Result<std::vector<JobTarget>> parse_targets(std::string_view text);

struct StateChoice {
  std::vector<JobState> states;
  bool completing = false, configuring = false, special_exit = false, all = false;
  bool given() const { return all || completing || configuring || special_exit || !states.empty(); }
  // Whether such a job is to be shown; the usual choice is everything that is not over.
  bool holds(const Job& job) const;
  void put_into(JobFilter& filter) const;
};
// "pending,R,cg,all"
Result<StateChoice> parse_states(std::string_view text);

// Appends the parts of a comma list.
void append_list(std::vector<std::string>& out, std::string_view text);
// "batch", "extern", "interactive" or the number.
std::string step_name(StepId step);
// "7.0", "7_3.batch"
std::string shown_step(const StepRow& row);
// "COMPLETING" while it is.
std::string shown_state(const Job& job);
std::string shown_state_compact(const Job& job);

}  // namespace ym::cli
