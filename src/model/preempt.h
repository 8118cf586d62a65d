// SPDX-License-Identifier: Apache-2.0
// Preemption: who may make room for whom, and how. What slurm.conf and the qualities of service say
// of it, and what is noted at a job that makes room.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace ym {

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class PreemptMode : std::uint8_t { Off = 0, Cancel = 1, Requeue = 2, Suspend = 3 };
std::string_view name_of(PreemptMode mode);

// A value of PreemptMode: "REQUEUE", "SUSPEND,GANG".
struct PreemptWish {
  PreemptMode mode = PreemptMode::Off;
  bool gang = false;    // what was suspended goes on by itself
  bool within = false;  // jobs of one QOS make room for each other
  bool operator==(const PreemptWish&) const = default;
};
// Words that are not known are passed over: the configuration has been checked.
PreemptWish parse_preempt_mode(std::string_view text);
// As Slurm prints it: "OFF", "GANG,SUSPEND".
std::string preempt_mode_text(std::string_view text);

// What a quality of service says of preemption. Accounting data will fill the table.
struct QosPreemption {
  std::uint32_t priority = 0;
  std::vector<std::string> preempts;  // names of those that make room for it
  std::optional<PreemptMode> mode;    // none: the cluster's
  bool within = false;                // its jobs make room for each other, by their priority
  std::uint32_t grace_s = 0;
  std::optional<std::uint32_t> exempt_s;  // none: the cluster's
  bool operator==(const QosPreemption&) const = default;
};
using QosTable = std::map<std::string, QosPreemption, std::less<>>;

// PreemptType
enum class PreemptBy : std::uint8_t { Nothing, PartitionTier, Qos };

struct PreemptRules {
  PreemptBy by = PreemptBy::Nothing;
  std::string mode_text = "OFF";  // PreemptMode, as Slurm prints it
  PreemptWish cluster;            // the same, understood
  std::uint32_t exempt_s = 0;     // PreemptExemptTime: not before it has run for so long
  // PreemptParameters
  std::uint32_t min_exempt_priority = 0;  // jobs with at least this are left alone; 0: nobody is
  std::uint32_t reorder_count = 1;        // tries to make do with fewer jobs
  std::uint32_t suspend_grace_s = 2;
  bool reclaim_licenses = false, send_user_signal = false, strict_order = false,
       youngest_first = false;
  QosTable qos;
  std::uint32_t slice_s = 30;  // SchedulerTimeSlice: with GANG, jobs take turns of so long
  bool operator==(const PreemptRules&) const = default;
};

// That a job makes or made room: since when, for whom, and how.
struct JobPreemption {
  Instant at;
  JobId by;
  PreemptMode mode = PreemptMode::Off;  // Off: it has been suspended, and runs again
  bool operator==(const JobPreemption&) const = default;
};

}  // namespace ym
