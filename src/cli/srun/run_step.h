// SPDX-License-Identifier: Apache-2.0
// From what was asked for to a step that has ended: asks the controller for it, launches it, and
// stays with it. Of a heterogeneous job, steps of several components as one.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/controller.h"
#include "cli/common/watch.h"
#include "cli/options/job_options.h"

namespace ym::cli {

// What runs in one job, or component.
struct StepPart {
  JobOptions options;
  JobId job;
  std::vector<std::string> command;
};

// REQUIRES: there is at least one part; the first one's options are those of all where only one can
// be (labels, signals). `watcher` is the one of an allocation of our own. The exit code.
Result<int> run_step(Controller& controller, const std::vector<StepPart>& parts,
                     const SubmissionContext& context, std::optional<JobWatcher> watcher);

}  // namespace ym::cli
