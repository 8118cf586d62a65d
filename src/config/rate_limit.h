// SPDX-License-Identifier: Apache-2.0
// SlurmctldParameters=rl_…: how many requests of one user slurmctld takes.
#pragma once
#include <cstdint>

#include "model/config.h"

namespace ym {

// slurm.conf(5), SlurmctldParameters: each user has a bucket of tokens, a request takes one.
struct RateRules {
  bool enabled = false;               // rl_enable
  std::uint32_t bucket_size = 30;     // rl_bucket_size: what he may ask at once
  std::uint32_t refill_rate = 2;      // rl_refill_rate: tokens that come back in each period
  std::uint32_t refill_period_s = 1;  // rl_refill_period
  std::uint32_t table_size = 8192;    // rl_table_size: buckets that are kept
  std::int32_t log_freq_s = 0;        // rl_log_freq: at most one line in so long; 0: each, -1: none
  bool operator==(const RateRules&) const = default;
};

inline constexpr std::uint32_t kRateTableMax = 1'000'000;

// From the values that `config` shows. What is no number, or makes no sense, leaves the default.
RateRules rate_rules_of(const MainConfig& config);

}  // namespace ym
