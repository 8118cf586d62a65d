// SPDX-License-Identifier: Apache-2.0
// The state of a cluster: tables of values, named by ids. A copy is a snapshot and costs a few
// pointers.
//
// Thread rule: one owner applies events; copies are read anywhere.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/cow_table.h"
#include "base/ref.h"
#include "model/event.h"
#include "model/job.h"
#include "model/node.h"
#include "model/partition.h"

namespace ym {

struct RememberedAnswer {
  Seq seq;  // of the event
  Instant at;
  RequestAnswered answered;
};

struct State {
  std::string cluster_name;
  std::uint32_t next_job_id = 1;
  std::uint32_t next_node_id = 1;
  std::uint32_t next_partition_id = 1;
  Sluid last_sluid;
  Seq seq;       // of the last event that was folded in
  Instant time;  // of the last event

  CowTable<Job> jobs;
  CowTable<Node> nodes;
  CowTable<Partition> partitions;
  // The elements of arrays that have records of their own, by element_key. Derived from jobs.
  CowTable<JobId> elements;
  CowTable<Reservation> reservations;  // few
  Ref<Licenses> licenses;
  // How often nodes were kept for a job or given free again; 0: none ever was. Derived.
  std::uint64_t kept_changes = 0;
  std::uint32_t next_reservation_id = 1;
  CowTable<Trigger> triggers;
  std::uint32_t next_trigger_id = 1;
  Ref<std::map<Uid, Crontab>> crontabs;
  // By name; rebuilt when the configuration changes, shared by all snapshots in between.
  Ref<std::map<std::string, NodeId, std::less<>>> node_names;
  Ref<std::map<std::string, PartitionId, std::less<>>> partition_names;
  // The last answers to requests that may be asked again, by Seq: for as long as somebody could.
  static constexpr std::size_t kAnswersMax = 20'000;
  static constexpr Duration kAnswersKept = std::chrono::minutes(10);
  CowTable<RememberedAnswer> answers;

  const Job* find(JobId id) const { return jobs.find(id.value); }
  const Node* find(NodeId id) const { return nodes.find(id.value); }
  const Partition* find(PartitionId id) const { return partitions.find(id.value); }
  // Null if the element has no record of its own.
  const Job* find_element(JobId array, std::uint32_t task) const;
  // Calls visit(const Job&) for the elements with records from `first` to `last`. O(those).
  template <class Visit>
  void for_each_element(JobId array, std::uint32_t first, std::uint32_t last, Visit&& visit) const {
    std::uint64_t end = element_key(array, last);
    elements.visit_from(element_key(array, first), [&](std::uint64_t key, JobId id) {
      if (key > end) return false;
      visit(jobs.at(id.value));
      return true;
    });
  }
  static std::uint64_t element_key(JobId array, std::uint32_t task) {
    static_assert(kArrayIndexMax < 1u << 22);
    return std::uint64_t{array.value} << 22 | task;
  }
  // A job's record appeared, with the index that `job` has.
  void note_element(const Job& job);
  const Reservation* find_reservation(std::string_view name) const;
  const Node* find_node(std::string_view name) const;
  const Partition* find_partition(std::string_view name) const;
  // Null if no partition is marked as default.
  const Partition* default_partition() const;
};

using Snapshot = State;

// The next attempt id at `now`: later than every earlier one, even if the clock went back.
Sluid next_sluid(const State& state, Instant now);

}  // namespace ym
