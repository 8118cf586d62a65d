// SPDX-License-Identifier: Apache-2.0
// Conservative backfill with compression: nobody is delayed by anybody who came later.
#include "schedule/policy.h"

namespace ym {

const Policy kConservative{
    .name = "conservative",
    .summary = "every waiting job holds a promised start, which only moves forward",
    .promises = kEveryJob,
    .keeps_promises = true,
};

}  // namespace ym
