// SPDX-License-Identifier: Apache-2.0
// Ends of steps, for accounting. A step outlives its job's final state until its nodes have told
// what it used, or are clean or lost.
#include <algorithm>

#include "controller/controller.h"

namespace ym {

void Controller::end_step_on(JobId id, StepId step_id, const StepNodeEnded& part, Instant now,
                             Outbox& out) {
  auto find = [&]() -> const Step* {
    const std::vector<Step>& steps = *state_.jobs.at(id.value).steps;
    auto at = std::ranges::find(steps, step_id, &Step::id);
    return at == steps.end() ? nullptr : &*at;
  };
  const Step* step = find();
  if (!step || std::ranges::find(step->nodes_left, part.node) == step->nodes_left.end()) return;
  emit(StepNodeEnded(part), now, out);
  step = find();
  if (!step->nodes_left.empty()) return;
  step_kill_at_.erase({id, step_id});
  emit(StepEnded{.job = id,
                 .step = step_id,
                 .exit = step->worst,
                 .usage = step->usage,
                 .out_of_memory = step->out_of_memory},
       now, out);
}

// The node is clean or lost: whatever of the job's steps was there and has not been told is over.
void Controller::end_steps_on(JobId id, NodeId node, Instant now, Outbox& out) {
  std::vector<Step> steps = *state_.jobs.at(id.value).steps;
  for (const Step& step : steps)
    end_step_on(id, step.id,
                {.job = id, .step = step.id, .node = node, .exit = {.code = 0, .signal = 9}}, now,
                out);
}

// The batch script's own step has no record here: it ends with what its host tells of it.
void Controller::end_batch_step(JobId id, const AttemptReport& attempt, Instant now, Outbox& out) {
  if (!attempt.batch || !attempt.batch_ended || attempt.usage.tasks == 0) return;
  emit(StepEnded{.job = id,
                 .step = kBatchStep,
                 .exit = attempt.exit,
                 .usage = attempt.usage,
                 .out_of_memory = attempt.out_of_memory},
       now, out);
}

}  // namespace ym
