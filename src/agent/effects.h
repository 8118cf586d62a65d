// SPDX-License-Identifier: Apache-2.0
// What the node daemon is asked to do by its brain. Effects are data.
//
// Order within one Outbox is a contract: a Persist is durable before anything after it happens, so
// that a launch never runs without a record by which a restarted daemon finds it.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/node_messages.h"

namespace ym::agent {

// Make the order of this shepherd durable. `batch` is what the controller sent; a step's order is
// with the shell, which got it from srun. A prolog's and the extern step's order is made of what
// asked for the attempt first: `batch`, or the request of the step `sake`; an epilog's of `kill`.
struct Persist {
  JobId job;
  Sluid sluid;
  StepId step;
  std::optional<LaunchJob> batch;
  std::optional<StepId> sake;
  std::optional<KillJob> kill;
};
// Start the shepherd whose order was made durable. A failure comes back as shepherd_ended.
struct Launch {
  JobId job;
  Sluid sluid;
  StepId step;
};
// A shepherd that waited for the prolog is not started at all. The shell keeps `exit` and `error`
// as its result, and tells its srun.
struct Refuse {
  Sluid sluid;
  StepId step;
  ExitStatus exit;
  std::string error;
};
enum class SignalScope : std::uint8_t {
  Leaders = 0,     // the tasks themselves
  Everything = 1,  // and all that they have started
};
struct Signal {
  Sluid sluid;
  StepId step;
  std::uint16_t signal = 0;
  SignalScope scope = SignalScope::Everything;
  JobId job;
  KillCause cause = KillCause::None;  // said on its stderr first
};
// Freeze a shepherd's tasks, or let them go on.
struct Freeze {
  Sluid sluid;
  StepId step;
  bool frozen = true;
};
// Have these shepherds lower the limits of their attempt, and tell what is in use. What they say
// comes back as memory_told().
struct Limit {
  Sluid sluid;
  std::uint64_t memory_mb = 0;  // 0: only tell
  std::vector<StepId> steps;
};
// Tell the controller. The shell adds the node's name, registration and load.
struct Report {
  NodeReport report;
};
// Remove the record: of one step, or of the whole attempt.
struct Forget {
  Sluid sluid;
  std::optional<StepId> step;
};

using Effect = std::variant<Persist, Launch, Refuse, Signal, Report, Forget, Freeze, Limit>;
using Outbox = std::vector<Effect>;

}  // namespace ym::agent
