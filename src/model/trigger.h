// SPDX-License-Identifier: Apache-2.0
// Triggers: a program that is run for a user when something has happened to a job, a node or the
// controller (strigger).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace ym {

using TriggerId = Id<struct TriggerTag, std::uint32_t>;

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class TriggerEvent : std::uint8_t {
  NodeUp = 0,
  NodeDown = 1,
  NodeDrained = 2,
  NodeDraining = 3,
  NodeResumed = 4,
  NodeFail = 5,
  NodeIdle = 6,  // for at least `offset`
  JobTime = 7,   // `-offset` before the end of its time limit
  JobFini = 8,
  Reconfig = 9,
  ControllerRestarted = 10,  // it has resumed operation
  PrimaryFailed = 11,        // a backup leads, and the first SlurmctldHost does not
  PrimaryLeads = 12,         // where there are backups: it has (again) resumed control
  BackupLeads = 13,          // it has assumed control
};

struct Trigger {
  TriggerId id;
  Uid uid;
  Gid gid;
  std::string user_name;
  TriggerEvent event = TriggerEvent::NodeUp;
  JobId job;                  // of JobTime and JobFini
  std::string nodes;          // a hostlist; empty: any node
  std::int32_t offset_s = 0;  // after the event; before it if negative
  bool permanent = false;     // stays when it has been pulled
  std::string program;        // with arguments, as a shell would take them
  Instant set;
  bool operator==(const Trigger&) const = default;
};

struct SetTrigger {
  Trigger trigger;  // identity is overwritten by the caller's
};
struct TriggerAdded {
  TriggerId trigger;
};
// All given conditions must hold; at least one is given.
struct ClearTriggers {
  TriggerId trigger;
  JobId job;
  std::string user;  // name or number
};
struct QueryTriggers {
  TriggerId trigger;
  JobId job;
  std::string user;
};
struct TriggerRows {
  std::vector<Trigger> rows;
};

}  // namespace ym
