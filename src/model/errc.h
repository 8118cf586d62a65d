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
  InvalidPartition = 2000,
  DefaultPartitionNotSet = 2001,
  AccessDenied = 2002,
  JobMissingRequiredPartitionGroup = 2003,
  RequestedNodesNotInPartition = 2004,
  TooManyRequestedCpus = 2005,
  InvalidNodeCount = 2006,
  JobScriptMissing = 2008,
  RequestedNodeConfigUnavailable = 2014,
  JobPending = 2016,
  InvalidJobId = 2017,
  InvalidNodeName = 2018,
  TransitionStateNoUpdate = 2020,
  AlreadyDone = 2021,
  InvalidTimeLimit = 2050,
  NodesBusy = 2052,
  DependencyInvalid = 2057,
  PartitionInactive = 2067,
  PartitionUnavailable = 2068,
  JobNotPending = 2070,
  JobNotPendingNorRunning = 2072,
  BadJobArray = 2086,
  InvalidTaskMemory = 2044,
  JobFinished = 2074,
  JobNotRunning = 2075,
  JobHeld = 2063,
  BatchOnly = 2062,
  Disabled = 2061,
  InvalidStep = 2078,
  InvalidArraySize = 2135,
  QueueFull = 2136,
  NotLeader = 2137,
  StoreFailed = 2138,  // ours: the log cannot be written just now
  NotFound = 2139,
  BadMessage = 1006,
  AuthFailed = 1007,
  NodeUnreachable = 1012,
};

// Slurm's text for the code; "Unspecified error" for 0.
std::string_view text_of(Errc code);

// The error with the code's text, and ": detail" if there is one.
std::unexpected<Error> refuse(Errc code, std::string_view detail = {});

inline bool is(const Error& error, Errc code) {
  return error.code == static_cast<std::uint32_t>(code);
}

}  // namespace ym
