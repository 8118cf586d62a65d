// SPDX-License-Identifier: Apache-2.0
// PreemptMode=GANG: jobs that share their resources take turns. Who has been suspended for longest
// goes on as soon as the turns of those in his place are over, and they are suspended for him.
#include <algorithm>

#include "controller/controller.h"
#include "schedule/preempt.h"

namespace ym {
namespace {

// So much longer than a turn lasts, so that who waits to start at all, which is the planner's
// business, comes before those who wait to go on.
constexpr Duration kAfterTurn = std::chrono::seconds(1);

}  // namespace

// O(jobs that are suspended and those on their nodes).
void Controller::take_turns(Instant now, Outbox& out) {
  if (!config_.preempt.cluster.gang) return;
  std::vector<JobId> parked;
  for (JobId id : indexes_.suspended())
    if (state_.jobs.at(id.value).is_parked()) parked.push_back(id);
  if (parked.empty()) return;
  std::ranges::sort(parked, {},
                    [&](JobId id) { return std::pair(state_.jobs.at(id.value).suspended_at, id); });
  for (JobId id : parked) {
    const Job& waiting = state_.jobs.at(id.value);
    if (waiting.state != JobState::Suspended) continue;
    std::vector<JobId> over = whose_turn_is_over_for(waiting, now);
    if (over.empty()) continue;
    for (JobId other : over) {
      emit(JobPreempted{.job = other, .by = id, .mode = PreemptMode::Suspend, .limit_end = {}}, now,
           out);
      freeze(other, now, out);
    }
    if (can_go_on(state_.jobs.at(id.value))) go_on(id, now, out);
  }
}

// Those who have to be suspended for it, the longest turn first; empty if it would not help.
std::vector<JobId> Controller::whose_turn_is_over_for(const Job& waiting, Instant now) const {
  const PreemptRules& rules = config_.preempt;
  const Partition* own = state_.find(waiting.partition);
  if (!own) return {};
  Preemptor preemptor{.spec = *waiting.spec, .partition = *own->spec, .priority = waiting.priority};
  std::vector<JobId> chosen;
  for (const NodeShare& share : waiting.allocation->nodes) {
    std::uint32_t free = state_.nodes.at(share.node.value).cpus_free();
    std::vector<std::pair<Instant, JobId>> others;
    for (JobId id : indexes_.on_node(share.node)) {
      const Job& other = state_.jobs.at(id.value);
      const Partition* partition = state_.find(other.partition);
      if (!partition || other.state != JobState::Running || other.is_preempted()) continue;
      Instant over = turn_ends(rules, other);
      if (are_peers(rules, other, *partition->spec, preemptor) && now >= over + kAfterTurn)
        others.emplace_back(over, id);
    }
    std::ranges::sort(others);
    auto cpus_of = [&](JobId id) {
      const std::vector<NodeShare>& shares = state_.jobs.at(id.value).allocation->nodes;
      return std::ranges::find(shares, share.node, &NodeShare::node)->cpus;
    };
    for (const auto& [over, id] : others)
      if (std::ranges::find(chosen, id) != chosen.end()) free += cpus_of(id);
    for (const auto& [over, id] : others) {
      if (free >= share.cpus) break;
      if (std::ranges::find(chosen, id) != chosen.end()) continue;
      chosen.push_back(id);
      free += cpus_of(id);
    }
    if (free < share.cpus) return {};
  }
  return chosen;
}

}  // namespace ym
