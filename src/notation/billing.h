// SPDX-License-Identifier: Apache-2.0
// TRESBillingWeights: what a job's resources are worth, "CPU=1.0,Mem=0.25G,GRES/gpu=2.0".
//
// Fixed point: weights are in millionths. A weight's K, M, G, T or P makes it one for so many;
// memory is counted in megabytes without it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "notation/tres.h"

namespace ym {

// "1.5": 1500000. Digits behind the sixth do not count.
std::optional<std::int64_t> parse_millionths(std::string_view text);

class BillingWeights {
 public:
  // Case does not count; the empty text has no weights.
  static Result<BillingWeights> parse(std::string_view text);

  bool empty() const { return weights_.empty(); }
  // The sum, or the largest alone, as a whole number rounded down; never less than 0.
  std::uint64_t bill(const Tres& tres, bool largest) const;

 private:
  struct Weight {
    std::string name;
    std::int64_t millionths = 0;
    int shift = 0;  // divided by two to the power of it
  };
  std::vector<Weight> weights_;
};

}  // namespace ym
