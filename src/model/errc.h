// SPDX-License-Identifier: Apache-2.0
// Refusals that programs react to. Numbers and texts are Slurm's, because scripts and clients
// compare them. A code exists only if some caller reacts to it differently; everything else is
// Error text with code 0.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

enum class Errc : std::uint32_t {
  None = 0,
  BadMessage = 1003,
  InvalidPartition = 2000,
  DefaultPartitionNotSet = 2001,
  AccessDenied = 2002,
  JobMissingRequiredPartitionGroup = 2003,
  TooManyRequestedCpus = 2005,
  InvalidNodeCount = 2006,
  JobScriptMissing = 2009,
  InvalidUserId = 2010,
  RequestedNodeConfigUnavailable = 2014,
  PartitionConfigUnavailable = 2015,
  NodesBusy = 2016,
  InvalidJobId = 2017,
  InvalidNodeName = 2018,
  TransitionStateNoUpdate = 2020,
  AlreadyDone = 2021,
  JobPending = 2024,
  InStandby = 2027,
  InvalidFeature = 2029,
  Disabled = 2037,
  DependencyInvalid = 2038,
  BatchOnly = 2039,
  JobHeld = 2042,
  InvalidLicenses = 2048,
  InvalidTimeLimit = 2051,
  ReservationAccess = 2052,
  ReservationInvalid = 2053,
  InvalidTime = 2054,
  ReservationBusy = 2055,
  ReservationNotUsable = 2056,
  ReservationOverlap = 2058,
  PortsBusy = 2059,
  InvalidTaskMemory = 2044,
  CpuCountInvalid = 2069,
  PartitionUnavailable = 2070,
  CircularDependency = 2071,
  InvalidGres = 2072,
  JobNotPending = 2073,
  ReservationEmpty = 2080,
  JobSuspended = 2077,
  CannotStartImmediately = 2078,
  BadJobArray = 2081,
  ReservationNameDup = 2082,
  JobFinished = 2084,
  JobNotRunning = 2085,
  JobNotSuspended = 2087,
  TriggerDup = 2089,
  CannotModifyCronJob = 2096,
  NotHetJob = 2106,
  NotHetLeader = 2107,
  NotWholeHetJob = 2108,
  InvalidNice = 2123,
  InvalidTimeMin = 2124,
  // Our own, outside of Slurm's numbers.
  InvalidStep = 91001,
  QueueFull = 91002,
  StoreFailed = 91003,
  InvalidTrigger = 91004,
};

// Slurm's text for the code; "Unspecified error" for 0.
std::string_view text_of(Errc code);

// The error with the code's text, and ": detail" if there is one.
std::unexpected<Error> refuse(Errc code, std::string_view detail = {});

inline bool is(const Error& error, Errc code) {
  return error.code == static_cast<std::uint32_t>(code);
}

}  // namespace ym
