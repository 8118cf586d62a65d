// SPDX-License-Identifier: Apache-2.0
// DebugFlags: subjects that daemons log whatever their level. Pure.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace ym {

// Those that something is logged for; each is one bit.
enum class DebugFlag : std::uint64_t {
  Agent = 1u << 0,         // orders for nodes
  AuditRPCs = 1u << 1,     // who asks for what
  Backfill = 1u << 2,      // passes of the planner
  Gres = 1u << 3,          // generic resources that jobs get
  License = 1u << 4,       // changes of licences
  NodeFeatures = 1u << 5,  // what is noted of nodes
  Power = 1u << 6,         // nodes that are switched on, off, or rebooted
  Protocol = 1u << 7,      // messages, with their size
  Reservation = 1u << 8,
  SelectType = 1u << 9,  // which nodes jobs get
  Steps = 1u << 10,
  TraceJobs = 1u << 11,  // all that happens to jobs
  Triggers = 1u << 12,
};
constexpr std::uint64_t bit(DebugFlag flag) { return static_cast<std::uint64_t>(flag); }

// As Slurm has them, in its order; nothing is logged for many of them.
struct DebugFlagName {
  std::string_view name;
  std::uint64_t bits = 0;  // 0: nothing is logged for it
};
std::span<const DebugFlagName> debug_flag_names();
// In any case of letters; null if there is none.
const DebugFlagName* find_debug_flag(std::string_view name);
// Of a comma list; names that are not known are passed over.
std::uint64_t debug_flag_bits(std::string_view list);

}  // namespace ym
