// SPDX-License-Identifier: Apache-2.0
// A workload replayed: the controller and the planner of slurmctld themselves, under virtual time.
// Only what is around them differs: a node answers at once, and a job ends when its run does. A job
// that makes room and goes back to the queue runs from its beginning; one that is suspended goes
// on.
//
// At each instant first all ends are told, then all submissions, then one scheduling pass follows.
// Deterministic: the same workload on the same machine gives the same outcome.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "trace/machine.h"
#include "trace/workload.h"

namespace ym::trace {

struct JobFate {
  std::int64_t start_s = kNotStarted, end_s = kNotStarted;
  JobState state = JobState::Pending;  // Pending: refused, or it never started
  std::uint32_t restarts = 0;          // it made room, and ran again from its beginning

  bool operator==(const JobFate&) const = default;
};

struct Outcome {
  std::string policy;         // that was followed
  std::vector<JobFate> jobs;  // in the workload's order
  std::size_t refused = 0;    // by admission
  std::string refusal;        // of the first of them
  std::size_t passes = 0, events = 0;
  // What jobs asked for or the configuration says, and the replay has nothing for: "memory of 3
  // jobs (no node has any)".
  std::vector<std::string> ignored;
};

struct Replay {
  const Workload* workload = nullptr;
  Machine machine;
  std::string policy;  // empty: as the configuration says
  // Told now and then how many jobs have ended; may be empty.
  std::function<void(std::size_t)> progress;
};

// Fails if the policy is unknown or the machine's configuration is refused.
Result<Outcome> replay(const Replay& replay);

}  // namespace ym::trace
