// SPDX-License-Identifier: Apache-2.0
// First come, first served.
#include "schedule/policy.h"

namespace ym {

const Policy kFcfs{
    .name = "fcfs",
    .summary = "strictly in order: nobody passes a blocked job",
    .promises = 0,
    .nobody_passes = true,
};

}  // namespace ym
