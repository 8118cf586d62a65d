// SPDX-License-Identifier: Apache-2.0
// EASY: aggressive backfill. Whoever ends before the promised start, or leaves enough beside it,
// passes.
#include "schedule/policy.h"

namespace ym {

const Policy kEasy{
    .name = "easy",
    .summary = "the first blocked job has a promised start, others pass if they do not delay it",
    .promises = 1,
};

}  // namespace ym
