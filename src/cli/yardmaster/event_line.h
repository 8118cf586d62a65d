// SPDX-License-Identifier: Apache-2.0
// Events as lines for people: `17 2026-11-15T21:24:15 JobStarted job=1 nodes=n1`.
#pragma once
#include <map>
#include <string>

#include "model/event.h"
#include "notation/timestamp.h"

namespace ym::cli {

// Remembers the names of nodes and partitions, which later events give by number only.
class EventLines {
 public:
  explicit EventLines(const TimeZone& zone) : zone_(&zone) {}
  // Names that events before the first one shown have given.
  void know_node(NodeId id, const std::string& name) { nodes_[id.value] = name; }
  void know_partition(PartitionId id, const std::string& name) { partitions_[id.value] = name; }
  // Without a newline. Texts that users chose are made safe for a terminal.
  std::string line(const Event& event);

 private:
  struct Words;
  const TimeZone* zone_;
  std::map<std::uint32_t, std::string> nodes_, partitions_;
};

}  // namespace ym::cli
