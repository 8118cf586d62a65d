// SPDX-License-Identifier: Apache-2.0
#include "model/errc.h"

namespace ym {

std::string_view text_of(Errc code) {
  switch (code) {
    case Errc::None: return "Unspecified error";
    case Errc::InvalidTrigger: return "No such event trigger";
    case Errc::TriggerDup: return "Duplicate event trigger";
    case Errc::CannotModifyCronJob: return "Cannot modify scrontab jobs through scontrol";
    case Errc::InvalidPartition: return "Invalid partition name specified";
    case Errc::DefaultPartitionNotSet: return "No partition specified or system default partition";
    case Errc::AccessDenied: return "Access/permission denied";
    case Errc::JobMissingRequiredPartitionGroup:
      return "User's group not permitted to use this partition";
    case Errc::TooManyRequestedCpus: return "More processors requested than permitted";
    case Errc::InvalidNodeCount: return "Node count specification invalid";
    case Errc::JobScriptMissing: return "Job script not specified";
    case Errc::RequestedNodeConfigUnavailable:
      return "Requested node configuration is not available";
    case Errc::JobPending: return "Job is pending execution";
    case Errc::InvalidJobId: return "Invalid job id specified";
    case Errc::InvalidNodeName: return "Invalid node name specified";
    case Errc::TransitionStateNoUpdate: return "Job can not be altered now, try again later";
    case Errc::AlreadyDone: return "Job/step already completing or completed";
    case Errc::InvalidTimeLimit:
      return "Requested time limit is invalid (missing or exceeds some limit)";
    case Errc::NodesBusy: return "Requested nodes are busy";
    case Errc::DependencyInvalid: return "Job dependency problem";
    case Errc::PartitionUnavailable: return "Required partition not available (inactive or drain)";
    case Errc::JobNotPending: return "Job is no longer pending execution";
    case Errc::NotHetJob: return "Job not heterogeneous job";
    case Errc::NotHetLeader: return "Job not heterogeneous job leader";
    case Errc::NotWholeHetJob:
      return "Operation not permitted on individual component of heterogeneous job";
    case Errc::BadJobArray: return "Invalid job array specification";
    case Errc::JobFinished: return "Job has already finished";
    case Errc::PortsBusy: return "Required ports are in use";
    case Errc::JobHeld: return "Job is in held state, pending scheduler release";
    case Errc::BatchOnly: return "Only batch jobs are accepted or processed";
    case Errc::Disabled: return "Requested operation is presently disabled";
    case Errc::InvalidUserId: return "Invalid user id";
    case Errc::InvalidTime: return "Invalid time specified";
    case Errc::InvalidLicenses: return "Invalid license specification";
    case Errc::ReservationAccess: return "Access denied to requested reservation";
    case Errc::ReservationInvalid: return "Requested reservation is invalid";
    case Errc::ReservationBusy: return "Requested reservation is in use";
    case Errc::ReservationNotUsable: return "Requested reservation not usable now";
    case Errc::ReservationOverlap: return "Requested reservation overlaps with another reservation";
    case Errc::ReservationEmpty: return "Reservation request lacks users, groups or accounts";
    case Errc::ReservationNameDup: return "Duplicate reservation name";
    case Errc::PartitionConfigUnavailable:
      return "Requested partition configuration not available now";
    case Errc::InStandby: return "Slurm backup controller in standby mode";
    case Errc::InvalidFeature: return "Invalid feature specification";
    case Errc::InvalidTaskMemory: return "Memory required by task is not available";
    case Errc::CpuCountInvalid: return "CPU count specification invalid";
    case Errc::CircularDependency: return "Circular job dependency";
    case Errc::InvalidGres: return "Invalid generic resource (gres) specification";
    case Errc::JobSuspended: return "Job is current suspended, requested operation disabled";
    case Errc::CannotStartImmediately: return "Job can not start immediately";
    case Errc::JobNotRunning: return "Job is not running";
    case Errc::JobNotSuspended: return "Job is not suspended";
    case Errc::InvalidNice: return "Invalid --nice value";
    case Errc::InvalidTimeMin:
      return "Invalid time-min specification (exceeds job's time or other limits)";
    case Errc::InvalidStep: return "Invalid job step specified";
    case Errc::QueueFull: return "Slurm temporarily unable to accept job, sleeping and retrying";
    case Errc::StoreFailed:
      return "The controller cannot write its log, new work is refused for now";
    case Errc::BadMessage: return "Message receive failure";
  }
  return "Unspecified error";
}

std::unexpected<Error> refuse(Errc code, std::string_view detail) {
  std::string text(text_of(code));
  if (!detail.empty()) text.append(": ").append(detail);
  return fail(static_cast<std::uint32_t>(code), std::move(text));
}

}  // namespace ym
