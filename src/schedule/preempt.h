// SPDX-License-Identifier: Apache-2.0
// "Whom to preempt?": which running jobs make room for one that waits. Pure.
//
// A heterogeneous job makes room as a whole: whoever asks for one component asks for all, and the
// first answers for them.
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

// PreemptMode=GANG: jobs in partitions with OverSubscribe=FORCE, and those with --oversubscribe in
// partitions with YES, take turns on the same resources. How many of them may share; 1: it takes no
// turns.
std::uint32_t sharers_of(const PreemptRules& rules, const JobSpec& spec,
                         const PartitionSpec& partition);
// Do they take turns with each other? In one partition, or in several of one tier.
bool are_peers(const PreemptRules& rules, const Job& job, const PartitionSpec& partition,
               const Preemptor& preemptor);
// When the turn is over that the running job has now.
Instant turn_ends(const PreemptRules& rules, const Job& job);

// May it make room now, and how? Off if not: it is neither below nor a peer whose turn is over, it
// is exempt as yet or for its priority, or makes room already. Of a heterogeneous job no component
// may be exempt; they are not suspended.
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
