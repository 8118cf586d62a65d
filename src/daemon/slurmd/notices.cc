// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/notices.h"

#include "base/format.h"
#include "daemon/slurmd/spool.h"
#include "notation/timestamp.h"

namespace ym {
namespace {

const char* due_to(KillCause cause) {
  switch (cause) {
    case KillCause::TimeLimit: return " DUE TO TIME LIMIT";
    case KillCause::NodeFailure: return " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS";
    case KillCause::Preempted: return " DUE TO PREEMPTION";
    case KillCause::None:
    case KillCause::Cancelled: break;
  }
  return "";
}

}  // namespace

std::string notice_of(KillCause cause, const NoticeFacts& facts) {
  if (cause == KillCause::None) return {};
  std::string what = facts.step == kBatchStep
                         ? fmt::format("JOB {}", facts.job.value)
                         : fmt::format("STEP {}.{}", facts.job.value, step_name(facts.step));
  return fmt::format("slurmstepd: error: *** {} ON {} CANCELLED AT {}{} ***\n", what, facts.node,
                     print_timestamp(facts.at, FixedOffset(facts.zone_offset_s)), due_to(cause));
}

}  // namespace ym
