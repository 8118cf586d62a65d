// SPDX-License-Identifier: Apache-2.0
// PreemptType, PreemptMode, PreemptExemptTime and PreemptParameters, with the older words for the
// last in SchedulerParameters and SlurmctldParameters.
#pragma once
#include "config/fields.h"
#include "model/config.h"

namespace ym {

// Settings that contradict each other are errors; words that we do not act on are noted.
void set_preemption(const Fields& fields, Findings& findings, MainConfig& config);
// PreemptParameters as one would write them; empty: none.
std::string preempt_parameters(const PreemptRules& rules);

}  // namespace ym
