// SPDX-License-Identifier: Apache-2.0
// The cluster that a workload is replayed on.
#pragma once
#include <string_view>

#include "base/result.h"
#include "model/config.h"

namespace ym::trace {

struct Machine {
  ClusterConfig config;
  // Processors are counted, whatever node they are on: one node has them all. Otherwise a job is
  // placed on nodes as the cluster would.
  bool counted = false;
  // A site's: planned within what its SchedulerParameters allow, as slurmctld does. Otherwise
  // nothing bounds a pass.
  bool as_configured = false;

  std::uint64_t procs() const;
};

// So many processors, and no more is known: what a trace of the archive tells.
Machine counted_machine(std::uint32_t procs);

// "16x64" or "16x64x8": nodes, CPUs and GPUs of each.
Result<Machine> uniform_machine(std::string_view text);

// A site's configuration, without what a replay does not have: programs around jobs, the silence of
// nodes, jobs that are remembered.
Machine site_machine(ClusterConfig config);

// What the node would say of itself: just what is configured.
NodeRegistration registration_of(const NodeSpec& spec);

}  // namespace ym::trace
