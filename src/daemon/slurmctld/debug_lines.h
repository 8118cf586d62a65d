// SPDX-License-Identifier: Apache-2.0
// What slurmctld logs for DebugFlags, as slurm.conf or `scontrol setdebugflags` has set them. Costs
// a look at one number while none is set.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/driver/core.h"
#include "model/config.h"
#include "net/frame.h"
#include "net/peer.h"
#include "os/log.h"
#include "schedule/plan.h"

namespace ym {

// The flags of the configuration, and what is said about those without lines.
void take_debug_flags(Log& log, const ClusterConfig& config);

void log_request(Log& log, const FrameHeader& header, std::size_t size, const Peer& peer);
// What has been written down, and what leaves for the nodes because of it.
void log_batch(Log& log, const Batch& batch);
void log_plan(Log& log, const Plan& plan);

}  // namespace ym
