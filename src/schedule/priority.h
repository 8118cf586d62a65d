// SPDX-License-Identifier: Apache-2.0
// Multifactor priority: a pure function of a job, a partition, the rules and the time.
//
// Priorities grow with time, so they are in no record and in no event: the planner asks for the
// heads of its lines once a pass, and queries ask for the rows that they show. What an
// administrator said (a number, a hold) is a fact in the log and counts instead.
//
// Fixed point throughout: integers decide order.
#pragma once
#include <map>
#include <string>

#include "model/config.h"
#include "model/priority.h"
#include "model/state.h"
#include "schedule/fair_tree.h"

namespace ym {

// What factors are shares of.
struct ClusterTotals {
  std::int64_t nodes = 0, cpus = 0, memory_mb = 0;
  std::map<std::string, std::int64_t> gres;  // "gpu", "gpu:a100"
  std::int64_t max_job_factor = 1;           // of all partitions
};
// O(nodes).
ClusterTotals totals_of(const State& state);

// What accounting knows of the priorities of qualities of service. One that is not known has none:
// 0.
class QosPriorities {
 public:
  QosPriorities() = default;
  explicit QosPriorities(const QosTable& table);

  std::uint32_t priority(std::string_view qos) const;
  std::uint32_t highest() const { return highest_; }

 private:
  std::map<std::string, std::uint32_t, std::less<>> priorities_;
  std::uint32_t highest_ = 0;
};

struct PriorityScale {
  PriorityRules rules;
  ClusterTotals totals;
  ShareTable shares;
  QosPriorities qos;
};
// As the configuration has it; nobody has shares. O(nodes) where it counts anything.
PriorityScale scale_of(const ClusterConfig& config, const State& state);

// The bounds of a priority that was counted: 0 is a hold.
inline constexpr std::uint32_t kLowestPriority = 1, kHighestPriority = 0xfffffffd;

// Did somebody give the job its number, so that factors do not count?
bool has_fixed_priority(const Job& job);

PriorityParts priority_parts(const Job& job, const PartitionSpec& partition, Instant now,
                             const PriorityScale& scale);
// What the job has in that one of its partitions; its own number where that counts, as below.
std::uint32_t priority_in(const Job& job, const PartitionSpec& partition, Instant now,
                          const PriorityScale& scale);
// The highest that the job has in one of its partitions; its own number where it is fixed, or where
// the rules count nothing. 0 of a held job.
std::uint32_t priority_at(const Job& job, const State& state, Instant now,
                          const PriorityScale& scale);

// Jobs of one shape for which this is equal keep their order for ever: the earlier has the higher
// priority at any time.
std::string priority_line(const Job& job);

}  // namespace ym
