// SPDX-License-Identifier: Apache-2.0
// Names of reasons as squeue(1) lists them, in the order of the enumeration.
#include "model/reason.h"

#include <array>

namespace ym {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
    // clang-format off
    "None", "Priority", "Resources", "Dependency", "DependencyNeverSatisfied", "JobHeldUser",
    "JobHeldAdmin", "BeginTime", "PartitionDown", "PartitionInactive", "PartitionNodeLimit",
    "PartitionTimeLimit", "ReqNodeNotAvail", "JobArrayTaskLimit", "NodeDown", "BadConstraints",
    "NonZeroExitCode", "TimeLimit", "JobLaunchFailure", "Licenses", "Reservation", "RaisedSignal",
    "OutOfMemory", "SystemFailure", "Cleaning", "Prolog", "launch failed requeued held",
    "PartitionConfig", "AccountNotAllowed", "QOSNotAllowed", "InvalidAccount", "InvalidQOS",
    "DeadLine", "job requeued in held state", "JobHoldMaxRequeue", "MaxMemPerLimit", "SchedDefer",
    "InactiveLimit", "ReservationDeleted", "FedJobLock", "BurstBufferResources",
    "BurstBufferStageIn", "BurstBufferOperation", "AssociationJobLimit", "AssociationResourceLimit",
    "AssociationTimeLimit", "QOSJobLimit", "QOSResourceLimit", "QOSTimeLimit", "QOSUsageThreshold",
    "AssocGrpCpuLimit", "AssocGrpCPUMinutesLimit", "AssocGrpCPURunMinutesLimit",
    "AssocGrpJobsLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpSubmitJobsLimit",
    "AssocGrpWallLimit", "AssocGrpGRES", "AssocGrpLicense", "AssocGrpBilling",
    "AssocMaxCpuMinutesPerJobLimit", "AssocMaxCpuPerJobLimit", "AssocMaxJobsLimit",
    "AssocMaxNodePerJobLimit", "AssocMaxSubmitJobLimit", "AssocMaxWallDurationPerJobLimit",
    "AssocMaxMemPerJob", "AssocMaxGRESPerJob", "QOSGrpCpuLimit", "QOSGrpCPUMinutesLimit",
    "QOSGrpCPURunMinutesLimit", "QOSGrpJobsLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit",
    "QOSGrpSubmitJobsLimit", "QOSGrpWallLimit", "QOSGrpGRES", "QOSGrpLicense", "QOSGrpBilling",
    "QOSMaxCpuMinutesPerJobLimit", "QOSMaxCpuPerJobLimit", "QOSMaxCpuPerUserLimit",
    "QOSMaxJobsPerUserLimit", "QOSMaxJobsPerAccountLimit", "QOSMaxNodePerJobLimit",
    "QOSMaxNodePerUserLimit", "QOSMaxSubmitJobPerUserLimit", "QOSMaxWallDurationPerJobLimit",
    "QOSMaxMemoryPerJob", "QOSMaxMemoryPerUser", "QOSMaxGRESPerJob", "QOSMaxGRESPerUser",
    "QOSMinCpuNotSatisfied", "QOSMinGRES", "QOSMinMemory", "QOSMinNode",
    // clang-format on
});
static_assert(kNames.size() == static_cast<std::size_t>(Reason::kCount));

}  // namespace

std::string_view name_of(Reason reason) {
  auto number = static_cast<std::size_t>(reason);
  return number < kNames.size() ? kNames[number] : "None";
}

}  // namespace ym
