// SPDX-License-Identifier: Apache-2.0
// Freezing what an attempt has here, and letting it go on.
#include "agent/agent.h"

namespace ym::agent {

void Agent::handle(const SuspendJob& order, Outbox& out) {
  auto found = attempts_.find(order.sluid);
  if (found == attempts_.end() || found->second.killed) return;
  // Also if it is so already: a daemon that was restarted does not know what it had frozen.
  found->second.suspended = order.suspend;
  freeze_attempt(order.sluid, found->second, out);
  report_attempt(order.sluid, out);
}

void Agent::freeze_attempt(Sluid sluid, const Attempt& attempt, Outbox& out) {
  for (const auto& [step, shepherd] : attempt.shepherds) {
    bool of_slurmd = step == kPrologStep || step == kEpilogStep;
    if (!shepherd.alive || shepherd.waiting || of_slurmd) continue;
    out.push_back(Freeze{.sluid = sluid, .step = step, .frozen = attempt.suspended});
  }
}

}  // namespace ym::agent
