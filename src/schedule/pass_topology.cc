// SPDX-License-Identifier: Apache-2.0
// The part of a pass that asks: would the job break up less of the network a little later?
// SchedulerParameters=bf_topopt_enable.
#include <algorithm>

#include "schedule/pass.h"

namespace ym {

// What starting it there at that time would break up: fragmentation() in topology.h.
std::uint32_t Pass::score_of(const Home& home, const Allocation& allocation, Instant at) const {
  std::vector<NodeId> nodes;
  for (const NodeShare& share : allocation.nodes) nodes.push_back(share.node);
  return fragmentation(*home.rules.groups, nodes,
                       [&](NodeId node) { return profile_.is_idle(node, at); });
}

// It could start now, but another place is better and free soon: that is promised to it instead.
// Nobody is held back so for longer than `switch_wait`. Arrays and heterogeneous jobs are not.
// O(topopt_iterations × the earliest start).
bool Pass::waits_for_better_place(const Job& job, Shape& shape) {
  if (budget_.topopt_iterations == 0 || job.array || no_time_left()) return false;
  if (policy_.nobody_passes) return false;
  Instant until = job.eligible + budget_.switch_wait;
  if (now_ >= until) return false;
  Verdict verdict;
  std::optional<Proposal> now = try_start(job, shape.homes, verdict);
  if (!now) return false;
  auto home = std::ranges::find(shape.homes, now->partition, &Home::id);
  if (home == shape.homes.end() || home->rules.groups->groups.empty()) return false;
  std::uint32_t score = score_of(*home, now->allocation, now_);
  if (score == 0) return false;
  std::optional<Booking> later = better_place(job, *home, score, until);
  if (!later) return false;
  later->job = job.id;
  planner_.look_again_ = std::min(planner_.look_again_, until);
  note_verdict(
      job, shape,
      {.reason = Reason::Resources, .head = job.id, .expected_start = later->start, .text = {}});
  book(std::move(*later), job, shape);
  return true;
}

// The first of the best among the next times at which something comes back.
std::optional<Booking> Pass::better_place(const Job& job, const Home& home, std::uint32_t score,
                                          Instant until) {
  std::optional<Booking> best;
  std::uint32_t tries = 0;
  for (Instant at : profile_.returns(home, now_ + kAnyMoment, until)) {
    if (++tries > budget_.topopt_iterations || score == 0) break;
    auto found =
        profile_.earliest({.spec = *job.spec, .from = at, .before = at + kAnyMoment}, home);
    if (!found) continue;
    std::uint32_t its = score_of(home, found->allocation, at);
    if (its >= score) continue;
    score = its;
    best = std::move(found);
  }
  return best;
}

std::vector<Instant> Profile::returns(const Home& home, Instant from, Instant until) const {
  std::vector<Instant> times;
  for (NodeId node : book_.pools()[home.pool].nodes)
    for_each_holding(book_.track(node), [&](const Holding&, Instant at) {
      if (at >= from && at <= until) times.push_back(at);
      return at <= until;
    });
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace ym
