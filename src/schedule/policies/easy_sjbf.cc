// SPDX-License-Identifier: Apache-2.0
// EASY, with the shortest job backfilled first.
#include "schedule/policy.h"

namespace ym {
namespace {

Score shortest_first(const Waiting& job, const Figures&) { return {.over = -job.limit_s}; }

}  // namespace

const Policy kEasySjbf{
    .name = "easy-sjbf",
    .summary = "as easy, the shortest of those that may pass first",
    .passing_order = shortest_first,
    .promises = 1,
};

}  // namespace ym
