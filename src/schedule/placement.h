// SPDX-License-Identifier: Apache-2.0
// "Fits where?" and "best?": which nodes, and how much of each, for one job. Pure functions of what
// is free.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "model/job.h"
#include "model/state.h"
#include "model/task_layout.h"
#include "schedule/topology.h"

namespace ym {

// What one node could still give.
struct Free {
  NodeId node;
  std::uint32_t cpus = 0;  // not given away
  std::uint32_t cpus_total = 0;
  // Whose view it is: of those who share CPUs in that row, or, 0, of those who have theirs alone.
  std::uint32_t row = 0;
  std::uint64_t cpus_owed = 0;  // so many have to come back before any is free
  std::uint64_t memory_mb = 0;
  std::uint32_t weight = 1;
  bool asleep = false;  // has to be switched on first: taken last
  bool idle = true;     // nobody holds anything of it
  NodeShape shape{};
  std::uint32_t cpus_withheld = 0;  // that no job gets; not in cpus_total
  const NodeSpec* spec = nullptr;   // the state's, as long as that lives
  // Active features, where somebody chose them: likewise.
  const std::string* features_chosen = nullptr;
  Uid owner{};  // of the jobs there, if it is not idle
  bool several_owners = false;
  bool for_user = false;  // --exclusive=user: others are not admitted
  Ref<GresKinds> gres;    // what it has, with what is held of it
  std::uint64_t mcs = 0;  // label of the jobs there, as mcs_of() has it; likewise
  bool several_mcs = false;
  bool for_mcs = false;  // --exclusive=mcs
  // Of one who shares: what all have together who share there when he comes, whatever their row.
  std::uint32_t cpus_shared = 0;
  // How much time around the job would be left over here: among equals the tightest is taken, so
  // that those who are promised other nodes keep these.
  std::int64_t slack_ms = 0;
  const std::string& features() const {
    return features_chosen ? *features_chosen : spec->features;
  }
};

struct PlacementRules {
  bool memory_counts = false;  // memory is consumable
  CpuUnit unit = CpuUnit::Core;
  bool whole_nodes = false;  // every job gets its nodes for itself
  std::uint32_t max_cpus_per_node = 0xffffffff;
  std::uint32_t max_nodes = 0xffffffff;
  bool user_alone = false;          // ExclusiveUser: a node serves one user at a time
  Ref<Topologies> topologies = {};  // of the cluster
  Ref<NodeGroups> groups = {};      // of the partition; empty: flat
  bool topo_alone = false;          // ExclusiveTopo: a job has its blocks for itself
  bool takes_turns = false;         // GANG: those who share do so one after the other
  std::uint32_t sharers = 1;        // OverSubscribe: so many jobs may have a CPU at once
  bool shares_by_force = false;     // whether they want to or not
  bool least_loaded = false;        // LLN: a job of one node goes where most CPUs are free
  bool operator==(const PlacementRules&) const = default;
};

// Those who share CPUs without taking turns stand in rows. Jobs of one row have different CPUs, as
// if the row were a node; so a CPU has at most as many jobs as there are rows. CPUs that a job has
// for itself are in no row: where one has such, nobody shares, and the other way round.
//
// How many rows there are for the job; 0: it has CPUs for itself.
std::uint32_t rows_for(const JobSpec& spec, const PlacementRules& rules);
// So many cpus of the node are not there for `viewer` while a job in `row` has `cpus` of them.
inline std::uint32_t cpus_missed(std::uint32_t viewer, std::uint32_t row, std::uint32_t cpus,
                                 std::uint32_t cpus_total) {
  if (viewer == row) return cpus;
  return viewer && row ? 0 : cpus_total;
}

// --nodes=min-max, and as --use-min-nodes has it: for those who take nodes that others may need, be
// they other components of the same job or jobs that would have to go.
inline bool takes_a_range(const JobSpec& spec) { return spec.max_nodes > spec.min_nodes; }
JobSpec with_fewest_nodes(const JobSpec& spec);

// What the rules are in one partition.
PlacementRules rules_in(const PartitionSpec& partition, PlacementRules cluster);
// The partitions that the request names and that exist, in its order.
std::vector<const Partition*> partitions_of(const JobSpec& spec, const State& state);
// The same, the highest tier first: as they are tried.
std::vector<const Partition*> partitions_by_tier(const JobSpec& spec, const State& state);

// A number for the job's MCS label; 0: it has none.
std::uint64_t mcs_of(const JobSpec& spec);
// Does it share nodes with jobs of its label only? --exclusive=mcs
bool keeps_labels_off(const JobSpec& spec);

// May the job be on the node beside those who are there? --exclusive=user and mcs, ExclusiveUser
bool owner_admits(const JobSpec& spec, const Free& node, const PlacementRules& rules);

// Does the job want the blocks that it is in for itself? --exclusive=topo
bool wants_blocks_alone(const JobSpec& spec, const PlacementRules& rules);
// May a job be there, as far as those go who have their blocks for themselves? O(its blocks).
bool blocks_admit(const State& state, const JobSpec& spec, const Allocation& allocation,
                  const PlacementRules& rules);

// How many cpus and how much memory the job's tasks take on a node that runs `tasks` of them.
NodeShare share_for(const JobSpec& spec, const Free& node, std::uint32_t tasks,
                    const PlacementRules& rules);

// Tasks of the job that a node can take; 0 if it cannot take even the first. What only the request
// and the rules decide is made once: ask it about many nodes. Refers to both.
class Capacity {
 public:
  // What there is at some time of what changes with time. Owners and devices are the node's.
  struct Room {
    std::uint32_t cpus = 0;
    std::uint64_t memory_mb = 0;
    bool idle = true;
  };
  Capacity(const JobSpec& spec, const PlacementRules& rules);
  std::uint32_t of(const Free& node) const {
    return of(node, {.cpus = node.cpus, .memory_mb = node.memory_mb, .idle = node.idle});
  }
  std::uint32_t of(const Free& node, const Room& room) const { return count(node, room, gres_); }
  // Nothing, whatever the node has of generic resources? Cheap.
  bool is_none(const Free& node, const Room& room) const { return count(node, room, false) == 0; }
  // Among how many rows it may choose; 0: it has CPUs for itself.
  std::uint32_t rows() const { return rows_; }
  // Does it matter who else is there?
  bool keeps_others_off() const { return alone_ || keeps_labels_off_; }

 private:
  std::uint32_t count(const Free& node, const Room& room, bool with_gres) const;

  const JobSpec& spec_;
  const PlacementRules& rules_;
  TaskNeeds needs_;
  std::uint32_t rows_;
  bool whole_, alone_, keeps_labels_off_, all_memory_, spares_, gres_;
};

// An allocation out of `candidates`, or none if they do not suffice. Fewest nodes first, among
// equals the lightest weight, the tightest fit for jobs of one node, then the lowest number: the
// same question has one answer. O(candidates log candidates).
//
// Before all of that, for a job that shares: CPUs that nobody has, then those that one job has, and
// so on. A node may then be among the candidates once for each row, one after the other. As often
// O(candidates log candidates) as it takes.
std::optional<Allocation> place(const JobSpec& spec, std::vector<Free> candidates,
                                const PlacementRules& rules);

// The node as it is now, for one who would be in the row, and as it would be with nothing on it.
Free free_now(const Node& node, std::uint32_t row = 0);
Free free_when_empty(const Node& node);

// Nodes of the partition that the request admits at all: required and excluded lists, features.
// O(partition).
std::vector<const Node*> admitted_nodes(const State& state, const Partition& partition,
                                        const JobSpec& spec);

// Is every node admitted, whatever it is called and has?
bool admits_every_node(const JobSpec& spec);

// Why the partition does not take the job at all, whatever is free; None if it does.
Reason refusal_of(const PartitionSpec& partition, const JobSpec& spec);

// May this allocation be given out of the state as it is? The core's last word on every proposal.
// O(its nodes).
bool still_fits(const State& state, const JobSpec& spec, const Allocation& allocation,
                const PlacementRules& rules);

}  // namespace ym
