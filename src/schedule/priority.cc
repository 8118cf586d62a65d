// SPDX-License-Identifier: Apache-2.0
#include "schedule/priority.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "schedule/booking.h"

namespace ym {
namespace {

// Slurm's number for those who come first; see controller/jobs/submit.cc.
constexpr std::int64_t kTopAutomatic = 4294901760;
constexpr std::int64_t kFactorMax = std::int64_t{1} << 50;
constexpr std::int64_t kPointsMax = std::int64_t{1} << 62;

// over / under in billionths; 0 if there is nothing to have a share of.
std::int64_t share(std::int64_t over, std::int64_t under) {
  if (under <= 0 || over <= 0) return 0;
  __int128 exact = static_cast<__int128>(over) * kWholeFactor / under;
  return static_cast<std::int64_t>(std::min<__int128>(exact, kFactorMax));
}
std::int64_t normal(std::int64_t factor) {
  return std::clamp<std::int64_t>(factor, 0, kWholeFactor);
}

// `weight` is in millionths.
PriorityFactor weighed(std::int64_t factor, std::int64_t weight) {
  __int128 points = static_cast<__int128>(factor) * weight / kWholeFactor;
  return {
      .value = factor,
      .points = static_cast<std::int64_t>(std::clamp<__int128>(points, -kPointsMax, kPointsMax))};
}
PriorityFactor weighed(std::int64_t factor, std::uint32_t weight) {
  return weighed(factor, std::int64_t{weight} * kWholePoint);
}

std::int64_t cpus_of(const JobSpec& spec) {
  return std::max<std::int64_t>(std::int64_t{spec.tasks} * std::max(1u, spec.cpus_per_task),
                                spec.min_nodes);
}
std::int64_t nodes_of(const JobSpec& spec) { return std::max(1u, spec.min_nodes); }
std::int64_t memory_of(const JobSpec& spec) {
  if (spec.memory_per_cpu_mb)
    return static_cast<std::int64_t>(spec.memory_per_cpu_mb) * cpus_of(spec);
  return static_cast<std::int64_t>(spec.memory_per_node_mb) * nodes_of(spec);
}
std::int64_t gres_of(const JobSpec& spec, std::string_view name) {
  std::int64_t count = 0;
  for (const GresWish& wish : spec.extras->specials->gres->wishes) {
    bool is_it = wish.name == name || (!wish.type.empty() && wish.name + ":" + wish.type == name);
    if (!is_it) continue;
    std::int64_t times = wish.per == GresPer::Job    ? 1
                         : wish.per == GresPer::Task ? spec.tasks
                                                     : nodes_of(spec);
    count += static_cast<std::int64_t>(wish.count) * times;
  }
  return count;
}

// How much of the resource the job asks for, and how much there is.
std::pair<std::int64_t, std::int64_t> amounts(std::string_view tres, const JobSpec& spec,
                                              const ClusterTotals& totals) {
  if (tres == "cpu") return {cpus_of(spec), totals.cpus};
  if (tres == "mem") return {memory_of(spec), totals.memory_mb};
  if (tres == "node") return {nodes_of(spec), totals.nodes};
  if (!tres.starts_with("gres/")) return {0, 0};
  std::string name(tres.substr(5));
  auto at = totals.gres.find(name);
  return {gres_of(spec, name), at == totals.gres.end() ? 0 : at->second};
}

std::int64_t age_factor(const Job& job, Instant now, const PriorityRules& rules) {
  // A job that may not run yet does not grow old, unless the site says so.
  bool waits_for_others = job.held() || !job.dependency->empty();
  if (waits_for_others && !rules.accrue_always) return 0;
  Instant since = rules.accrue_always ? job.submit : std::max(job.submit, job.eligible);
  if (now <= since) return 0;
  if (rules.max_age.count() <= 0) return kWholeFactor;
  return normal(share((now - since).count(), rules.max_age.count()));
}

std::int64_t size_factor(const JobSpec& spec, const PriorityScale& scale) {
  const ClusterTotals& totals = scale.totals;
  if (scale.rules.small_relative_to_time) {
    bool unlimited = spec.time_limit_s == 0 || spec.time_limit_s == JobSpec::kUnlimited;
    std::int64_t minutes = unlimited ? kLengthWithoutLimit / std::chrono::minutes(1)
                                     : std::max(1u, spec.time_limit_s / 60);
    std::int64_t of_all = normal(share(cpus_of(spec), minutes * totals.cpus));
    return scale.rules.favor_small ? kWholeFactor - of_all : of_all;
  }
  std::int64_t nodes = normal(share(nodes_of(spec), totals.nodes));
  std::int64_t cpus = normal(share(cpus_of(spec), totals.cpus));
  if (scale.rules.favor_small) return (kWholeFactor - nodes + kWholeFactor - cpus) / 2;
  return (nodes + cpus) / 2;
}

std::vector<PriorityParts::Tres> tres_parts(const JobSpec& spec, const PriorityScale& scale) {
  std::vector<PriorityParts::Tres> parts;
  for (const PriorityRules::TresWeight& one : scale.rules.tres) {
    auto [asked, there] = amounts(one.name, spec, scale.totals);
    std::int64_t factor =
        scale.rules.no_normal_tres ? share(asked, 1) : normal(share(asked, there));
    parts.push_back({.name = one.name, .factor = weighed(factor, one.weight)});
  }
  return parts;
}

std::uint32_t total(const PriorityParts& parts, const PriorityRules& rules) {
  __int128 points = 0;
  for (const PriorityFactor* one : {&parts.age, &parts.assoc, &parts.fair_share, &parts.job_size,
                                    &parts.of_partition, &parts.qos})
    points += one->points;
  __int128 tres = 0;
  for (const PriorityParts::Tres& one : parts.tres)
    tres = rules.max_tres ? std::max<__int128>(tres, one.factor.points) : tres + one.factor.points;
  points += tres + static_cast<__int128>(parts.site) * kWholePoint -
            static_cast<__int128>(parts.nice) * kWholePoint;
  return static_cast<std::uint32_t>(
      std::clamp<__int128>(points / kWholePoint, kLowestPriority, kHighestPriority));
}

}  // namespace

ClusterTotals totals_of(const State& state) {
  ClusterTotals totals;
  state.nodes.for_each([&](std::uint64_t, const Node& node) {
    ++totals.nodes;
    totals.cpus += node.spec->cpus;
    totals.memory_mb += static_cast<std::int64_t>(node.spec->memory_mb);
    for (const GresKind& kind : *node.gres) {
      totals.gres[kind.name] += static_cast<std::int64_t>(kind.count);
      if (!kind.type.empty())
        totals.gres[kind.name + ":" + kind.type] += static_cast<std::int64_t>(kind.count);
    }
  });
  state.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    totals.max_job_factor =
        std::max<std::int64_t>(totals.max_job_factor, partition.spec->priority_job_factor);
  });
  return totals;
}

QosPriorities::QosPriorities(const QosTable& table) {
  for (const auto& [name, qos] : table) {
    priorities_[name] = qos.priority;
    highest_ = std::max(highest_, qos.priority);
  }
}

std::uint32_t QosPriorities::priority(std::string_view qos) const {
  auto at = priorities_.find(qos);
  return at == priorities_.end() ? 0 : at->second;
}

PriorityScale scale_of(const ClusterConfig& config, const State& state) {
  PriorityScale scale{.rules = config.priority, .totals = {}, .shares = {}, .qos = {}};
  if (!scale.rules.counts()) return scale;
  scale.totals = totals_of(state);
  scale.qos = QosPriorities(config.preempt.qos);
  return scale;
}

bool has_fixed_priority(const Job& job) {
  if (job.priority_fixed) return true;
  auto automatic = [&](JobId id) {
    std::int64_t number = kTopAutomatic - (id.value & kJobIdLocalMax) - job.spec->nice;
    return std::clamp<std::int64_t>(number, 1, kHighestPriority) == job.priority;
  };
  return !automatic(job.id) && !(job.array_job && automatic(job.array_job)) &&
         !(job.het_job && automatic(job.het_job));
}

PriorityParts priority_parts(const Job& job, const PartitionSpec& partition, Instant now,
                             const PriorityScale& scale) {
  const JobSpec& spec = *job.spec;
  const PriorityRules& rules = scale.rules;
  std::int64_t factor = partition.priority_job_factor;
  std::int64_t qos = scale.qos.priority(spec.qos);
  std::int64_t fair = static_cast<std::int64_t>(scale.shares.factor(spec.account, spec.user_name) *
                                                static_cast<double>(kWholeFactor));
  PriorityParts parts{
      .partition = partition.name,
      .age = weighed(age_factor(job, now, rules), rules.age),
      .assoc = {},  // associations have no priorities until accounting knows them
      .fair_share = weighed(fair, rules.fair_share),
      .job_size = weighed(size_factor(spec, scale), rules.job_size),
      .of_partition = weighed(
          rules.no_normal_part ? share(factor, 1) : share(factor, scale.totals.max_job_factor),
          rules.partition),
      .qos =
          weighed(rules.no_normal_qos ? share(qos, 1) : share(qos, scale.qos.highest()), rules.qos),
      .tres = tres_parts(spec, scale),
      .site = spec.extras->site_factor,
      .nice = spec.nice,
      .priority = 0};
  parts.priority = has_fixed_priority(job) ? job.priority : total(parts, rules);
  return parts;
}

std::uint32_t priority_in(const Job& job, const PartitionSpec& partition, Instant now,
                          const PriorityScale& scale) {
  if (!scale.rules.counts() || has_fixed_priority(job)) return job.priority;
  if (job.state == JobState::Pending && job.held()) return 0;
  return std::max(kLowestPriority, priority_parts(job, partition, now, scale).priority);
}

std::uint32_t priority_at(const Job& job, const State& state, Instant now,
                          const PriorityScale& scale) {
  if (!scale.rules.counts() || has_fixed_priority(job)) return job.priority;
  if (job.state == JobState::Pending && job.held()) return 0;
  std::uint32_t highest = kLowestPriority;
  for (std::string_view name : split_words(job.spec->partitions, ','))
    if (const Partition* partition = state.find_partition(name))
      highest = std::max(highest, priority_parts(job, *partition->spec, now, scale).priority);
  return highest;
}

std::string priority_line(const Job& job) {
  const JobSpec& spec = *job.spec;
  std::string line = fmt::format("{}/{}/{}/{}/{}", spec.account, spec.user_name, spec.qos,
                                 spec.nice, spec.extras->site_factor);
  if (has_fixed_priority(job)) line += fmt::format("/{}", job.priority);
  return line;
}

}  // namespace ym
