// SPDX-License-Identifier: Apache-2.0
// What users find in their error files when something was ended from outside.
#pragma once
#include <string>

#include "model/node_messages.h"

namespace ym {

struct NoticeFacts {
  JobId job;
  StepId step;
  std::string node;
  Instant at;
  int zone_offset_s = 0;
};
// "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-11-16T01:02:03 ***\n"; empty for a cause
// that nobody is told of.
std::string notice_of(KillCause cause, const NoticeFacts& facts);

}  // namespace ym
