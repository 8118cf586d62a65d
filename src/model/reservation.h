// SPDX-License-Identifier: Apache-2.0
// A reservation: resources kept for some users for some time. A table of values in the state; jobs
// name it, and placement asks whom a node belongs to and when (schedule/calendar.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/gres.h"
#include "model/ids.h"

namespace ym {

using ReservationId = Id<struct ReservationTag, std::uint32_t>;

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class ReservationFlag : std::uint64_t {
  Maint = 1u << 0,
  Flex = 1u << 1,
  Overlap = 1u << 2,
  IgnoreJobs = 1u << 3,
  Hourly = 1u << 4,
  Daily = 1u << 5,
  Weekday = 1u << 6,
  Weekend = 1u << 7,
  Weekly = 1u << 8,
  SpecNodes = 1u << 9,
  AllNodes = 1u << 10,
  AnyNodes = 1u << 11,
  StaticAlloc = 1u << 12,
  PartNodes = 1u << 13,
  FirstCores = 1u << 14,
  TimeFloat = 1u << 15,
  Replace = 1u << 16,
  ReplaceDown = 1u << 17,
  PurgeComp = 1u << 18,
  NoHoldJobsAfter = 1u << 19,
  Magnetic = 1u << 20,
  UserDelete = 1u << 21,
  NoUserDelete = 1u << 22,
  ForceStart = 1u << 23,
};

// What a reservation keeps of a node: so many CPUs, or all of it.
struct ReservedNode {
  NodeId node;
  std::uint32_t cpus = 0;
  bool whole = true;
  bool operator==(const ReservedNode&) const = default;
};

inline constexpr std::string_view kEachNode = "each:";

struct Reservation {
  ReservationId id;
  std::string name;
  Instant start, end;
  std::uint64_t flags = 0;
  std::vector<ReservedNode> nodes;               // ascending by node
  std::string node_text;                         // as asked for; empty where the controller chose
  std::uint32_t node_count = 0, core_count = 0;  // as asked for; 0: no wish
  std::string partition, features;
  std::string users, groups, accounts;  // comma lists; "-name" everywhere: all but these
  std::string licenses;
  std::string tres;  // generic resources, "gpu:a100:4,tool:1"; behind kEachNode: of each node
  std::string burst_buffer, comment, allowed_partitions, qos;
  std::uint32_t max_start_delay_s = 0;
  std::uint32_t purge_after_s = 0;  // PURGE_COMP
  Duration float_by{0};             // TIME_FLOAT: its distance to the present
  GresShares gres;                  // generic resources that it keeps, and which

  bool has(ReservationFlag flag) const { return flags & static_cast<std::uint64_t>(flag); }
  bool active(Instant now) const { return start <= now && now < end; }
  // Comes again when it is over.
  bool recurs() const;
  const ReservedNode* find(NodeId node) const;
  bool operator==(const Reservation&) const = default;
};

// "MAINT,PURGE_COMP=00:05:00"; empty without flags.
std::string flags_text(const Reservation& reservation);
// The flag of that name in any case, also shortened where Slurm allows it; nothing if there is
// none.
std::optional<ReservationFlag> reservation_flag(std::string_view name);
// The same time of the next hour, day, week, working day or day off after its own.
Instant next_occurrence(const Reservation& reservation);

// Who may use it: a user by name, primary or other groups, the job's account. Administrators are
// no exception.
bool admits(const Reservation& reservation, std::string_view user,
            const std::vector<std::string>& groups, std::string_view account);

// --- messages ---

// Creates, changes or deletes one; `changed` names the members of `wanted` that count.
struct UpdateReservation {
  Reservation wanted;
  std::vector<std::string> changed;
  bool create = false, remove = false, skip = false;
  std::int64_t duration_s = -1;  // with `duration`; from the start
  std::uint64_t flags_added = 0, flags_removed = 0;
};
struct ReservationCreated {
  std::string name;
};
struct QueryReservations {
  std::string name;  // empty: all
};
struct ReservationRow {
  Reservation reservation;
  std::string nodes;  // hostlist
  std::uint32_t cores = 0, cpus = 0;
};
struct ReservationRows {
  std::vector<ReservationRow> rows;
};

}  // namespace ym
