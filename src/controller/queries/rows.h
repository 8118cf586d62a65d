// SPDX-License-Identifier: Apache-2.0
// Answers for people, made of a snapshot. Safe on any thread; the controller itself is not asked.
#pragma once
#include <functional>

#include "model/job_messages.h"
#include "model/node_messages.h"
#include "model/state.h"
#include "schedule/plan.h"
#include "schedule/priority.h"
#include "schedule/topology.h"

namespace ym {

// The reason that squeue shows: the job's own (held, dependency, begin time), else the planner's
// verdict.
Reason reason_of(const Job& job, const Verdicts& verdicts, Instant now);
// The same for whoever knows the hash of the job's shape already; 0: not known.
Reason reason_of(const Job& job, const Verdicts& verdicts, Instant now, std::uint64_t shape);

JobRow job_row(const State& state, const Job& job, const Verdicts& verdicts, Instant now);
// The same with only the fields that are asked for (JobField), and without the spec.
JobRow brief_row(const State& state, const Job& job, const Verdicts& verdicts, Instant now,
                 std::uint64_t fields, std::uint64_t shape = 0);
// The row's priority by the site's factors: as it is now, or as it was when the job started unless
// running jobs are counted on. `with_parts` tells what it is made of, too. Without weights nothing
// changes.
void count_priority(JobRow& row, const State& state, const Job& job, Instant now,
                    const PriorityScale& scale, bool with_parts = false);
NodeRow node_row(const State& state, const Node& node);
// Nodes that jobs are to have which start later, ascending; as far as the verdicts tell.
// O(n log n) of the promised nodes.
std::vector<NodeId> planned_nodes(const State& state, const Verdicts& verdicts);
// Says in the row whether what is free of the node is kept for one of them.
void mark_planned(NodeRow& row, const std::vector<NodeId>& planned);
// Nodes that belong to a block of a job with --exclusive=topo, and not to the job; ascending.
// O(nodes), and nearly nothing where there is no such job.
std::vector<NodeId> blocked_nodes(const State& state, const Topologies& topologies);
// Says in the row that it is one of them, and whether the node registered with less than slurm.conf
// says.
void mark_obstacles(NodeRow& row, const std::vector<NodeId>& blocked, bool config_overrides);
PartitionRow partition_row(const State& state, const Partition& partition);

// The hostlist of an allocation. O(nodes log nodes).
std::string nodes_text(const State& state, const Allocation& allocation);

}  // namespace ym
