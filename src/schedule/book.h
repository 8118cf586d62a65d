// SPDX-License-Identifier: Apache-2.0
// The book of nodes: what is free on each now, who holds the rest until when, and which nodes of a
// partition have so much left. Kept up to date at the cost of the change, never made anew for a
// pass.
//
// Thread rule: the planner's owner.
//
// Invariants:
//  (1) A track's holdings are those of jobs that run or complete there, ascending by (at, job). A
//      suspended job's are not among them: its cpus are free already, and nobody knows when it
//      gives its memory back.
//  (2) A pool's bits are set for usable nodes only, and say what is free in the state; a pass that
//      has given some of it away asks the track (profile.h).
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/state.h"
#include "schedule/levels.h"
#include "schedule/placement.h"

namespace ym {

// What comes back at a time.
struct Holding {
  Instant at;
  JobId job;
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;
  Ref<Allocation> allocation;  // set if it has generic resources
  std::uint32_t row = 0;       // of those who share (placement.h)
};

// A part of a node that is promised to a job that waits.
struct Promised {
  Instant from, to;
  JobId job;
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;
  Uid owner;
  bool for_user = false;
  Ref<Allocation> allocation;  // set if it has generic resources
  std::uint64_t mcs = 0;       // the like of `owner` and `for_user` by MCS label
  bool for_mcs = false;
  std::uint32_t row = 0;  // of those who share
};

struct Track {
  Ref<NodeSpec> spec;         // keeps alive what `free` points to,
  Ref<std::string> features;  // as does this
  Free free;                  // now
  bool usable = false;
  std::uint32_t jobs = 0;  // that hold something here, suspended ones included
  std::vector<Holding> holdings;
  std::vector<Promised> promised;    // ascending by (from, job)
  std::uint32_t promised_alone = 0;  // of them: those who keep others off the node
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in;  // pools, and its place in each
  // The pass that last took something of it, and the number of its sketch there (profile.h).
  std::uint64_t touched_by = 0;
  std::uint32_t sketch = 0;
  // Kept while nothing but promises changes; the latter as those who share see it, row by row.
  mutable Levels levels;
  mutable std::map<std::uint32_t, Levels> row_levels;
};

// What those who share leave, now, to one who wants CPUs for himself: nothing, until the last of
// them has gone. Nothing happens if nobody shares.
void count_sharers(Track& track);

// Keeps the order, and the count of those who are alone.
void add_promise(Track& track, Promised promised);
// Calls visit(const Promised&) for each of the job's before it goes.
template <class Visit>
void drop_promises(Track& track, JobId job, Visit&& visit) {
  std::erase_if(track.promised, [&](const Promised& one) {
    if (one.job != job) return false;
    track.promised_alone -= one.for_user || one.for_mcs;
    visit(one);
    return true;
  });
}

using Bits = std::vector<std::uint64_t>;

// The nodes of a partition.
struct Pool {
  PartitionId partition;
  std::vector<NodeId> nodes;
  // Bits by place: nodes with at least 2^level cpus free.
  static constexpr std::size_t kLevels = 8;
  std::array<Bits, kLevels> free;
  Bits idle;
  std::uint32_t sharers = 1;     // OverSubscribe: a CPU that somebody has may be free for others
  std::uint32_t cpus_most = 0;   // of one node, when it is empty
  std::uint32_t awake_cpus = 0;  // of nodes that changed since the last pass, the most that is free
};

class Book {
 public:
  // A job that holds resources.
  struct Running {
    Instant end;
    Ref<Allocation> allocation;
    std::vector<NodeId> nodes_left;  // of a completing one
    JobId array_job;
    bool counts = false;  // for the limit of its array: it is not completing
    bool is_suspended = false;
    JobId makes_room_for;  // of one that is on its way out for another; none otherwise
  };

  void rebuild(const State& state);
  // What the event about the job or the node left behind. O(its nodes).
  void refresh(JobId id, const State& state);
  void refresh(NodeId id, const State& state);

  const Track& track(NodeId id) const { return tracks_[id.value]; }
  Track& track(NodeId id) { return tracks_[id.value]; }
  std::size_t tracks() const { return tracks_.size(); }
  bool knows(NodeId id) const { return id.value < tracks_.size(); }
  const std::vector<Pool>& pools() const { return pools_; }
  // None if the partition is not known.
  const std::uint32_t* pool_of(PartitionId id) const;
  const std::map<JobId, Running>& running() const { return running_; }
  // Elements of the array that count for its limit.
  std::uint32_t running_of_array(JobId array) const;
  // Jobs that are on their way out for this one and still hold something.
  std::uint32_t leaving_for(JobId job) const;
  // Cpus of all usable nodes.
  std::int64_t cpus() const { return cpus_; }
  // Those who hold licences, and until when.
  const std::map<JobId, Running>& licensed() const { return licensed_; }
  // Those who have their blocks for themselves, unless they are suspended for others.
  const std::set<JobId>& alone() const { return alone_; }

  // Something came back before its time since the last call of forget_changes().
  bool eased() const { return eased_; }
  void note_ease() { eased_ = true; }
  // More of the node can be had than the shapes were told.
  void wake(NodeId id);
  void forget_changes();
  // A number that no pass had before.
  std::uint64_t next_pass() { return ++passes_; }

 private:
  void hold(JobId id, const Running& running);
  void drop(JobId id, Instant now);
  void mark(Track& track, bool more);

  std::vector<Track> tracks_;  // by the node's number
  std::vector<Pool> pools_;
  std::map<PartitionId, std::uint32_t> pool_by_partition_;
  std::map<JobId, Running> running_, licensed_;
  std::set<JobId> alone_;
  std::map<JobId, std::uint32_t> array_running_;
  std::map<JobId, std::uint32_t> leaving_for_;
  std::int64_t cpus_ = 0;
  std::vector<std::uint32_t> awake_pools_;
  bool eased_ = true;
  std::uint64_t passes_ = 0;
};

// The shares of the allocation that the job still holds.
template <class Visit>
void for_each_share(const Book::Running& running, Visit&& visit) {
  for (const NodeShare& share : running.allocation->nodes) {
    bool left = running.nodes_left.empty();
    for (NodeId id : running.nodes_left) left = left || id == share.node;
    if (left) visit(share);
  }
}

}  // namespace ym
