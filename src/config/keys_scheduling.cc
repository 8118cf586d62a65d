// SPDX-License-Identifier: Apache-2.0
// Keys about scheduling: selection, priority, preemption, power.
#include "config/keys.h"

namespace ym {
namespace {

using enum KeyType;
using enum KeyStatus;

constexpr KeyInfo kTable[] = {
    {"DefCpuPerGPU", Number, ActedOn, "", "0-4294967294"},
    {"DefMemPerCPU", Number, ActedOn, "", "0-9223372036854775807"},
    {"DefMemPerGPU", Number, ActedOn, "", "0-9223372036854775807"},
    {"DefMemPerNode", Limit, ActedOn, "UNLIMITED", "0-9223372036854775807"},
    {"EnforcePartLimits", Choice, ActedOn, "NO", "NO|YES|ALL|ANY"},
    {"FairShareDampeningFactor", Number, NotYet, "1", "1-65533"},
    {"FederationParameters", Text, NotYet, "(null)"},
    {"MaxMemPerCPU", Number, ActedOn, "", "0-9223372036854775807"},
    {"MaxMemPerNode", Limit, ActedOn, "UNLIMITED", "0-9223372036854775807"},
    {"PreemptExemptTime", Time, ActedOn, "00:00:00"},
    {"PreemptMode", Choices, ActedOn, "OFF", "OFF|CANCEL|GANG|REQUEUE|SUSPEND|WITHIN|PRIORITY"},
    {"PreemptParameters", Text, ActedOn, "(null)"},
    {"PreemptType", Choice, ActedOn, "preempt/none",
     "preempt/none|preempt/partition_prio|preempt/qos"},
    {"PriorityCalcPeriod", Time, NotYet, "00:05:00"},
    {"PriorityDecayHalfLife", Time, NotYet, "7-00:00:00"},
    {"PriorityFavorSmall", YesNo, ActedOn, "No"},
    {"PriorityFlags", Text, ActedOn, ""},
    {"PriorityMaxAge", Time, ActedOn, "7-00:00:00"},
    {"PriorityParameters", Text, NotYet, "(null)"},
    {"PrioritySiteFactorParameters", Text, NotYet, "(null)"},
    {"PrioritySiteFactorPlugin", Text, NotYet, "(null)"},
    {"PriorityType", Choice, ActedOn, "priority/multifactor",
     "priority/multifactor|priority/basic"},
    {"PriorityUsageResetPeriod", Choice, NotYet, "NONE",
     "NONE|NOW|DAILY|WEEKLY|MONTHLY|QUARTERLY|YEARLY"},
    {"PriorityWeightAge", Number, ActedOn, "0", "0-4294967294"},
    {"PriorityWeightAssoc", Number, NotYet, "0", "0-4294967294"},
    {"PriorityWeightFairShare", Number, ActedOn, "0", "0-4294967294"},
    {"PriorityWeightJobSize", Number, ActedOn, "0", "0-4294967294"},
    {"PriorityWeightPartition", Number, ActedOn, "0", "0-4294967294"},
    {"PriorityWeightQOS", Number, NotYet, "0", "0-4294967294"},
    {"PriorityWeightTRES", Text, ActedOn, "(null)"},
    {"RebootProgram", Path, ActedOn, "(null)"},
    {"ResumeFailProgram", Path, ActedOn, "(null)"},
    {"ResumeProgram", Path, ActedOn, "(null)"},
    {"ResumeRate", Number, ActedOn, "300 nodes/min", "0-65533"},
    {"ResumeTimeout", Number, ActedOn, "60 sec", "0-65533"},
    {"ResvOverRun", Limit, ActedOn, "0 min", "0-65533"},
    {"SchedulerParameters", Text, ActedOn, "(null)"},
    {"SchedulerTimeSlice", Number, ActedOn, "30 sec", "5-65533"},
    {"SchedulerType", Choice, NotYet, "sched/backfill", "sched/backfill|sched/builtin"},
    {"SelectType", Choice, ActedOn, "select/cons_tres", "select/cons_tres|select/linear"},
    {"SelectTypeParameters", Choices, ActedOn, "CR_CORE_MEMORY",
     "CR_CPU|CR_CPU_MEMORY|CR_CORE|CR_CORE_MEMORY|CR_SOCKET|CR_SOCKET_MEMORY|CR_MEMORY|CR_BOARD|CR_"
     "LLN|"
     "CR_ONE_TASK_PER_CORE|CR_CORE_DEFAULT_DIST_BLOCK|CR_PACK_NODES|CR_NO_DIST_TOPO_BLOCK|"
     "LL_SHARED_GRES|MULTIPLE_SHARING_GRES_PJ|ENFORCE_BINDING_GRES|ONE_TASK_PER_SHARING_GRES|NONE"},
    {"SuspendExcNodes", Text, ActedOn, "(null)"},
    {"SuspendExcParts", Text, ActedOn, "(null)"},
    {"SuspendExcStates", Text, ActedOn, "(null)"},
    {"SuspendProgram", Path, ActedOn, "(null)"},
    {"SuspendRate", Number, ActedOn, "60 nodes/min", "0-65533"},
    {"SuspendTime", Limit, ActedOn, "INFINITE", "0-4294967294"},
    {"SuspendTimeout", Number, ActedOn, "30 sec", "0-65533"},
};

}  // namespace

std::span<const KeyInfo> scheduling_keys() { return kTable; }

}  // namespace ym
