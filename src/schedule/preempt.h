// SPDX-License-Identifier: Apache-2.0
// "Whom to preempt?": which running jobs make room for one that waits. Pure.
//
// Two questions. May this job make room for that one, and how (slurm.conf's rules, the same answer
// for the planner and for the core that commits)? And of all who may: the fewest and least that
// suffice.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "model/job.h"
#include "model/partition.h"
#include "model/preempt.h"
#include "model/state.h"

namespace ym {

// The one who waits, in one of its partitions.
struct Preemptor {
  const JobSpec& spec;
  const PartitionSpec& partition;
  std::uint32_t priority = 0;
};

// How a job makes room: --no-requeue and what lives for a client end where others are requeued.
// Off: it does not. Whoever asks does not count here.
PreemptMode preempt_mode_of(const PreemptRules& rules, const JobSpec& spec,
                            const PartitionSpec& partition);
// Since when it may be asked to, after it has started. Suspended are jobs of any age.
Duration exempt_time_of(const PreemptRules& rules, const JobSpec& spec, PreemptMode mode);
Duration grace_time_of(const PreemptRules& rules, const JobSpec& spec,
                       const PartitionSpec& partition, PreemptMode mode);
// When a job that runs may be asked to make room, whoever asks; unset: never.
Instant preemptable_from(const PreemptRules& rules, const State& state, const Job& job);
// Does the job stand below the one who asks, by partition tier or by QOS?
bool is_below(const PreemptRules& rules, const Job& job, const PartitionSpec& partition,
              const Preemptor& preemptor);

// May it make room now, and how? Off if not: it is not below, exempt as yet or for its priority,
// makes room already, or is a part of a heterogeneous job.
PreemptMode may_preempt(const PreemptRules& rules, const State& state, const Job& job,
                        const Preemptor& preemptor, Instant now);

// Who could make room, and what that would cost.
struct Victim {
  JobId job;
  PreemptMode mode = PreemptMode::Off;
  bool parked = false;      // has made room already, for another: costs nothing
  std::uint32_t level = 0;  // of its tier or QOS; the lowest goes first
  std::uint32_t priority = 0;
  Instant start;
  std::int64_t loss = 0;  // cpus × ms that were used; 0 if nothing is lost
  std::uint32_t cpus = 0;
};
// The order in which they are asked: the parked first, then by level, then the youngest or those of
// least priority and loss.
bool goes_before(const Victim& a, const Victim& b, const PreemptRules& rules);

// What is left of the candidates for one question. O(this × log + victims) placements.
inline constexpr std::size_t kCandidatesMax = 1000;
// So many victims are tried to be spared; a larger set may have one too many.
inline constexpr std::size_t kSpareMax = 256;

// Would it start, were these gone? The nodes it would get, ascending, or nothing.
using FitsWithout =
    std::function<std::optional<std::vector<NodeId>>(const std::vector<bool>& gone)>;
// Does the candidate hold something of one of the nodes?
using Meets = std::function<bool(std::size_t candidate, const std::vector<NodeId>& nodes)>;

// Which of them have to go, by their places; nothing if it does not help. Whoever goes is needed:
// without any one of them it would not fit (up to kSpareMax). REQUIRES: sorted by goes_before; who
// fits without some fits without more.
std::optional<std::vector<std::size_t>> choose_victims(const std::vector<Victim>& candidates,
                                                       const PreemptRules& rules,
                                                       const FitsWithout& fits, const Meets& meets);

}  // namespace ym
