// SPDX-License-Identifier: Apache-2.0
#include "schedule/preempt.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "schedule/het.h"

namespace ym {
namespace {

const QosPreemption* qos_of(const PreemptRules& rules, const std::string& name) {
  auto at = rules.qos.find(name);
  return at == rules.qos.end() ? nullptr : &at->second;
}

bool qos_is_below(const PreemptRules& rules, const Job& job, const Preemptor& preemptor) {
  const QosPreemption* mine = qos_of(rules, preemptor.spec.qos);
  if (!mine) return false;
  if (preemptor.spec.qos == job.spec->qos)
    return (mine->within || rules.cluster.within) && job.priority < preemptor.priority;
  return std::ranges::find(mine->preempts, job.spec->qos) != mine->preempts.end();
}

bool is_exempt(const PreemptRules& rules, const Job& job) {
  return rules.min_exempt_priority && job.priority >= rules.min_exempt_priority;
}

// Components of heterogeneous jobs are not suspended: those elsewhere would wait for them.
PreemptMode mode_of(const PreemptRules& rules, const Job& job, const PartitionSpec& partition) {
  PreemptMode mode = preempt_mode_of(rules, *job.spec, partition);
  return job.het_job && mode == PreemptMode::Suspend ? PreemptMode::Off : mode;
}

// The places of those who are gone.
std::vector<std::size_t> places(const std::vector<bool>& gone) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (gone[i]) out.push_back(i);
  return out;
}

// Lets everybody stay without whom it still fits, in that order.
void spare(std::vector<bool>& gone, const std::vector<std::size_t>& order,
           const FitsWithout& fits) {
  std::size_t tried = 0;
  for (std::size_t one : order) {
    if (++tried > kSpareMax) return;
    gone[one] = false;
    if (!fits(gone)) gone[one] = true;
  }
}

std::size_t cost(const std::vector<bool>& gone, const std::vector<Victim>& candidates) {
  std::size_t jobs = 0;
  for (std::size_t i = 0; i < gone.size(); ++i) jobs += gone[i] && !candidates[i].parked;
  return jobs;
}

}  // namespace

PreemptMode preempt_mode_of(const PreemptRules& rules, const JobSpec& spec,
                            const PartitionSpec& partition) {
  PreemptMode mode = PreemptMode::Off;
  if (rules.by == PreemptBy::PartitionTier) mode = parse_preempt_mode(partition.preempt_mode).mode;
  if (rules.by == PreemptBy::Qos) {
    const QosPreemption* qos = qos_of(rules, spec.qos);
    mode = qos && qos->mode ? *qos->mode : rules.cluster.mode;
  }
  bool comes_back = spec.batch && spec.requeue;
  if (mode == PreemptMode::Requeue && !comes_back) return PreemptMode::Cancel;
  return mode;
}

Duration exempt_time_of(const PreemptRules& rules, const JobSpec& spec, PreemptMode mode) {
  if (mode == PreemptMode::Suspend) return Duration(0);
  std::uint32_t exempt_s = rules.exempt_s;
  if (const QosPreemption* qos = qos_of(rules, spec.qos); qos && qos->exempt_s)
    exempt_s = *qos->exempt_s;
  return std::chrono::seconds(exempt_s);
}

Duration grace_time_of(const PreemptRules& rules, const JobSpec& spec,
                       const PartitionSpec& partition, PreemptMode mode) {
  if (mode == PreemptMode::Suspend) return Duration(0);
  std::uint32_t grace_s = partition.grace_time_s;
  if (rules.by == PreemptBy::Qos) {
    const QosPreemption* qos = qos_of(rules, spec.qos);
    grace_s = qos ? qos->grace_s : 0;
  }
  return std::chrono::seconds(grace_s);
}

Instant preemptable_from(const PreemptRules& rules, const State& state, const Job& job) {
  Instant from;
  for (const Job* one : components_of(state, job)) {
    const Partition* partition = state.find(one->partition);
    bool runs = one->state == JobState::Running || one->state == JobState::Suspended;
    if (!partition || !runs || is_exempt(rules, *one)) return {};
    PreemptMode mode = mode_of(rules, *one, *partition->spec);
    if (mode == PreemptMode::Off) return {};
    from = std::max(from, one->start + exempt_time_of(rules, *one->spec, mode));
  }
  return from;
}

bool is_below(const PreemptRules& rules, const Job& job, const PartitionSpec& partition,
              const Preemptor& preemptor) {
  switch (rules.by) {
    case PreemptBy::Nothing: return false;
    case PreemptBy::PartitionTier:
      return partition.priority_tier < preemptor.partition.priority_tier;
    case PreemptBy::Qos: return qos_is_below(rules, job, preemptor);
  }
  return false;
}

std::uint32_t sharers_of(const PreemptRules& rules, const JobSpec& spec,
                         const PartitionSpec& partition) {
  return rules.cluster.gang && shares_cpus(partition, spec) ? sharers_in(partition) : 1;
}

bool are_peers(const PreemptRules& rules, const Job& job, const PartitionSpec& partition,
               const Preemptor& preemptor) {
  return !job.het_job && partition.priority_tier == preemptor.partition.priority_tier &&
         sharers_of(rules, *job.spec, partition) > 1 &&
         sharers_of(rules, preemptor.spec, preemptor.partition) > 1;
}

Instant turn_ends(const PreemptRules& rules, const Job& job) {
  return std::max(job.start, job.resumed) + std::chrono::seconds(rules.slice_s);
}

PreemptMode may_preempt(const PreemptRules& rules, const State& state, const Job& job,
                        const Preemptor& preemptor, Instant now) {
  const Partition* own = state.find(job.partition);
  if (!own || job.state != JobState::Running || job.is_preempted()) return PreemptMode::Off;
  if (are_peers(rules, job, *own->spec, preemptor))
    return now < turn_ends(rules, job) ? PreemptMode::Off : PreemptMode::Suspend;
  PreemptMode mode = PreemptMode::Off;
  for (const Job* one : components_of(state, job)) {
    if (is_terminal(one->state)) continue;  // it ended before the others
    const Partition* partition = state.find(one->partition);
    if (!partition || is_exempt(rules, *one)) return PreemptMode::Off;
    if (!is_below(rules, *one, *partition->spec, preemptor)) return PreemptMode::Off;
    PreemptMode its = mode_of(rules, *one, *partition->spec);
    if (its == PreemptMode::Off) return PreemptMode::Off;
    if (now < one->start + exempt_time_of(rules, *one->spec, its)) return PreemptMode::Off;
    // The whole of it ends for good if one of them does.
    mode = mode == PreemptMode::Cancel ? mode : its;
  }
  return mode;
}

bool goes_before(const Victim& a, const Victim& b, const PreemptRules& rules) {
  auto coarse = [](const Victim& one) { return std::tuple(!one.parked, one.level); };
  if (coarse(a) != coarse(b)) return coarse(a) < coarse(b);
  if (rules.youngest_first && a.start != b.start) return a.start > b.start;
  auto fine = [](const Victim& one) {
    return std::tuple(one.priority, one.loss, -one.start.unix_ms, -std::int64_t{one.job.value});
  };
  return fine(a) < fine(b);
}

std::optional<std::vector<std::size_t>> choose_victims(const std::vector<Victim>& candidates,
                                                       const PreemptRules& rules,
                                                       const FitsWithout& fits,
                                                       const Meets& meets) {
  auto first = [&](std::size_t count) {
    std::vector<bool> gone(candidates.size(), false);
    std::fill_n(gone.begin(), count, true);
    return gone;
  };
  if (candidates.empty() || !fits(first(candidates.size()))) return std::nullopt;
  // As few of the better ones as possible: the shortest beginning of the list that suffices.
  std::size_t too_few = 0, enough = candidates.size();
  while (enough - too_few > 1) {
    std::size_t middle = (too_few + enough) / 2;
    (fits(first(middle)) ? enough : too_few) = middle;
  }
  std::vector<bool> gone = first(enough);
  std::vector<NodeId> nodes = fits(gone).value();
  for (std::size_t i = 0; i < enough; ++i) gone[i] = meets(i, nodes);
  if (!fits(gone)) gone = first(enough);  // it has other reasons than nodes: licences
  std::vector<std::size_t> order = places(gone);
  // The better ones are spared first …
  std::ranges::reverse(order);
  spare(gone, order, fits);
  if (rules.strict_order || rules.reorder_count == 0) return places(gone);
  // … or, if fewer jobs have to go for it, the smaller ones: of the same nodes, and of no better
  // tier.
  std::vector<bool> few(candidates.size(), false);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    few[i] = candidates[i].level <= candidates[enough - 1].level && meets(i, nodes);
  if (!fits(few)) return places(gone);
  order = places(few);
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(candidates[i].parked, candidates[i].cpus, candidates.size() - i);
  });
  spare(few, order, fits);
  return places(cost(few, candidates) < cost(gone, candidates) ? few : gone);
}

}  // namespace ym
