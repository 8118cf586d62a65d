// SPDX-License-Identifier: Apache-2.0
// Conservative for as many jobs as the budget of a pass allows, EASY below that. Promises are made
// anew in each pass, so a change of priorities shows at once.
#include "schedule/policy.h"

namespace ym {

const Policy kBackfill{
    .name = "backfill",
    .summary = "by priority; promised starts for as many blocked jobs as the budget allows",
    .promises = kEveryJob,
};

}  // namespace ym
