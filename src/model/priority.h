// SPDX-License-Identifier: Apache-2.0
// Multifactor priority: what a site says of the weights, and what a job's priority is made of.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace ym {

// slurm.conf(5), PriorityType and the keys around it.
struct PriorityRules {
  bool is_multifactor = true;  // PriorityType
  // PriorityWeight*
  std::uint32_t age = 0, assoc = 0, fair_share = 0, job_size = 0, partition = 0, qos = 0;
  struct TresWeight {
    std::string name;         // "cpu", "mem", "node", "gres/gpu"
    std::int64_t weight = 0;  // in millionths
    bool operator==(const TresWeight&) const = default;
  };
  std::vector<TresWeight> tres;
  Duration max_age = std::chrono::hours(7 * 24);
  Duration calc_period = std::chrono::minutes(5);
  bool favor_small = false;
  // PriorityFlags
  bool accrue_always = false;           // also while held or waiting for other jobs
  bool calculate_running = false;       // running jobs keep being counted
  bool incr_only = false;               // never lower than at submission
  bool max_tres = false;                // TRES: the largest counts, not the sum
  bool small_relative_to_time = false;  // job size: cpus per minute of the limit
  bool no_normal_part = false, no_normal_qos = false, no_normal_assoc = false,
       no_normal_tres = false;

  // Without any weight the queue is served in the order of submission.
  bool counts() const {
    return is_multifactor &&
           (age || assoc || fair_share || job_size || partition || qos || !tres.empty());
  }
  bool operator==(const PriorityRules&) const = default;
};

// One factor of a priority: from 0 to 1 unless the rules say that it is not normalised, and what it
// adds, which is that times its weight.
struct PriorityFactor {
  std::int64_t value = 0;   // in billionths
  std::int64_t points = 0;  // in millionths
  bool operator==(const PriorityFactor&) const = default;
};
inline constexpr std::int64_t kWholeFactor = 1'000'000'000, kWholePoint = 1'000'000;

// What a pending job's priority in one of its partitions is made of.
struct PriorityParts {
  std::string partition;
  PriorityFactor age, assoc, fair_share, job_size, of_partition, qos;
  struct Tres {
    std::string name;
    PriorityFactor factor;
    bool operator==(const Tres&) const = default;
  };
  std::vector<Tres> tres;
  std::int32_t site = 0, nice = 0;
  std::uint32_t priority = 0;  // of all that; a number that an administrator gave stays
  bool operator==(const PriorityParts&) const = default;
};

}  // namespace ym
