// SPDX-License-Identifier: Apache-2.0
// Largest expected slowdown first, (wait + limit) / limit, with EASY backfill in that order.
#include "schedule/policy.h"

namespace ym {
namespace {

Score slowdown(const Waiting& job, const Figures& figures) {
  std::int64_t waited_s = (figures.now - job.submit).count() / 1000;
  return {.over = waited_s + job.limit_s, .under = job.limit_s};
}

}  // namespace

const Policy kLargestSlowdownFirst{
    .name = "largest-slowdown-first",
    .summary = "who has waited longest for its length first, then as easy",
    .order = slowdown,
    .promises = 1,
};

}  // namespace ym
