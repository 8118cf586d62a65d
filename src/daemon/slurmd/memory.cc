// SPDX-License-Identifier: Apache-2.0
// Less memory for a running job: its shepherds lower the limits, as that may take a while.
#include <algorithm>

#include "daemon/slurmd/node_daemon.h"
#include "wire/codec.h"

namespace ym {

void NodeDaemon::obey(agent::Limit& effect) {
  std::vector<StepQueries::Key> keys;
  for (StepId step : effect.steps) keys.emplace_back(effect.sluid, step);
  auto done = [this, sluid = effect.sluid,
               memory_mb = effect.memory_mb](const std::vector<StepQueries::Answer>& answers) {
    std::vector<agent::MemoryTold> told;
    for (const StepQueries::Answer& one : answers)
      if (auto memory = wire::decode<ShepherdMemory>(one.packet))
        told.push_back({.step = one.from.second,
                        .limit_mb = memory->limit_mb,
                        .attempt_mb = memory->job_mb,
                        .resident_mb = memory->resident_mb});
    agent::Outbox out;
    agent_.memory_told(sluid, memory_mb, told, out);
    obey(std::move(out));
  };
  // If too many are being asked, the order comes again.
  queries_.ask(keys, {.kind = ControlKind::Memory, .memory_mb = effect.memory_mb}, done);
}

// What was signed before the job gave memory back says more.
void NodeDaemon::obey_memory_limit(ShepherdOrder& order) const {
  std::uint64_t limit = agent_.memory_limit(order.sluid);
  if (!limit) return;
  for (std::uint64_t* memory : {&order.job_memory_mb, &order.memory_mb})
    *memory = std::min(*memory, limit);
}

}  // namespace ym
