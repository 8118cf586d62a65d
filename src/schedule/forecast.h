// SPDX-License-Identifier: Apache-2.0
// "When?": the earliest time at which a request could start, if whoever runs uses the whole time
// limit and whoever has been promised something gets it.
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/calendar.h"
#include "schedule/placement.h"

namespace ym {

// What a blocked job has been promised, or what a request would get.
struct Booking {
  JobId job;
  PartitionId partition;
  Instant start, end;  // end kNever: no limit
  Allocation allocation;
};

// Who gives what back when.
struct Return {
  Instant at;
  const Allocation* allocation;
};

struct Outlook {
  Instant now;
  PlacementRules rules;                // the cluster's
  std::map<NodeId, Free> free;         // of the usable nodes, now
  std::vector<Return> returns;         // ascending
  const std::vector<Booking>* booked;  // promises that come first
  const Calendar* calendar = nullptr;  // reservations; null: none
};

// The outlook of a state in which nothing is promised. O(nodes + jobs).
Outlook outlook_of(const State& state, const PlacementRules& rules, Instant now);

// None if it cannot be told: it never fits, or only when somebody without a limit goes.
// O(times at which something comes back × nodes of its partitions).
std::optional<Booking> forecast(const State& state, const JobSpec& spec, const Outlook& outlook);

// When a job that starts at `start` is over at the latest.
Instant latest_end(const JobSpec& spec, Instant start);

// Why a request that nothing was found for waits: it never fits (PartitionConfig, BadConstraints),
// its nodes are away (ReqNodeNotAvail, with these in `text`), or they are taken.
struct Diagnosis {
  Reason reason = Reason::Resources;
  std::string text;
};
Diagnosis diagnose(const State& state, const JobSpec& spec, const PlacementRules& rules);

// Would it fit if every node of the partition were up and empty?
bool fits_when_empty(const State& state, const Partition& partition, const JobSpec& spec,
                     const PlacementRules& cluster);

}  // namespace ym
