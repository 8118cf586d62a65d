// SPDX-License-Identifier: Apache-2.0
#include "model/node.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/job.h"
#include "model/partition.h"
#include "notation/cpu_list.h"

namespace ym {

std::uint32_t NodeSpec::cpus_per_core() const {
  std::uint64_t cores = std::uint64_t{std::max(1u, sockets)} * std::max(1u, cores_per_socket);
  std::uint64_t threads = std::min<std::uint64_t>(cpus / cores, threads_per_core);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, threads));
}

std::uint32_t count_system_cpus(const NodeSpec& node) {
  std::uint64_t threads = node.cpus_per_core();
  std::uint64_t taken = node.core_spec_count;
  if (auto list = parse_cpu_list(node.cpu_spec_list); list && !list->empty()) {
    std::set<std::uint64_t> touched;
    for (std::uint32_t cpu : *list)
      if (cpu < node.cpus) touched.insert(cpu / threads);
    taken = touched.size();
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(taken * threads, node.cpus));
}

std::uint32_t Node::cpus_free_in_row(std::uint32_t row) const {
  std::uint32_t all = spec->cpus_for_jobs(), shared = 0;
  for (std::uint32_t cpus : *rows) shared += cpus;
  if (exclusive || cpus_used > shared) return 0;  // somebody has CPUs for himself
  std::uint32_t used = row <= rows->size() ? (*rows)[row - 1] : 0;
  return used >= all ? 0 : all - used;
}

namespace {

enum class Use { Idle, Mixed, Allocated, Completing };

Use use_of(const Node& node) {
  if (node.jobs == 0) return Use::Idle;
  if (node.jobs == node.completing) return Use::Completing;
  return node.exclusive || node.cpus_used >= node.spec->cpus_for_jobs() ? Use::Allocated
                                                                        : Use::Mixed;
}

std::string_view base_name(const Node& node) {
  if (node.reboot.phase == RebootPhase::Issued) return "DOWN";  // as Slurm says it
  switch (node.condition) {
    case NodeCondition::Unknown: return "UNKNOWN";
    case NodeCondition::Down: return "DOWN";
    case NodeCondition::Future: return "FUTURE";
    case NodeCondition::Up: break;
  }
  switch (use_of(node)) {
    case Use::Idle: return "IDLE";
    case Use::Mixed: return "MIXED";
    case Use::Allocated: return "ALLOCATED";
    case Use::Completing: return "IDLE";
  }
  return "UNKNOWN";
}

// sinfo's words: one for what the node is doing and whether it may take more, in two lengths.
struct Word {
  std::string_view compact, full;
};

// Whether a mark behind the word tells more than who is to have the node.
bool is_marked(const Node& node) {
  return node.reboot.phase != RebootPhase::None || node.power.phase != PowerPhase::On ||
         !node.responding;
}

Word word_of(const Node& node) {
  bool busy = node.jobs > 0;
  if (node.condition == NodeCondition::Unknown) return {"unk", "unknown"};
  if (node.condition == NodeCondition::Future) return {"futr", "future"};
  if (node.reboot.phase == RebootPhase::Issued) return {"boot", "reboot"};
  if (node.invalid) return {"inval", "inval"};
  if (node.fail) return busy ? Word{"failg", "failing"} : Word{"fail", "fail"};
  if (node.drain && node.condition == NodeCondition::Down) return {"drain", "drained"};
  if (node.drain) return busy ? Word{"drng", "draining"} : Word{"drain", "drained"};
  if (node.condition == NodeCondition::Down) return {"down", "down"};
  switch (use_of(node)) {
    case Use::Idle:
      if (node.maintenance) return {"maint", "maint"};
      if (node.reserved) return {"resv", "reserved"};
      if (node.blocked) return {"block", "blocked"};
      return node.planned && !is_marked(node) ? Word{"plnd", "planned"} : Word{"idle", "idle"};
    case Use::Mixed: return {"mix", "mixed"};
    case Use::Allocated: return {"alloc", "allocated"};
    case Use::Completing: return {"comp", "completing"};
  }
  return {"unk", "unknown"};
}

// One mark behind the word: a reboot that is ordered (^) or waited for (@), power that is on its
// way up (#) or down (%), to go down (!) or gone (~), silence (*), maintenance of a node with jobs
// ($), or that what is left of it is kept for a job (-).
std::string_view mark_of(const Node& node) {
  if (node.reboot.phase == RebootPhase::Issued) return "^";
  if (node.reboot.phase == RebootPhase::Requested) return "@";
  switch (node.power.phase) {
    case PowerPhase::DownWanted: return "!";
    case PowerPhase::PoweringDown: return "%";
    case PowerPhase::Off: return "~";
    case PowerPhase::UpWanted:
    case PowerPhase::PoweringUp: return "#";
    case PowerPhase::On: break;
  }
  if (!node.responding) return "*";
  if (node.maintenance && node.jobs > 0) return "$";
  return node.planned && use_of(node) == Use::Mixed ? "-" : "";
}

std::string_view power_flag(const Node& node) {
  switch (node.power.phase) {
    case PowerPhase::On: return "";
    case PowerPhase::DownWanted: return "+POWER_DOWN";
    case PowerPhase::PoweringDown:
      return node.power.up_wanted ? "+POWERING_DOWN+POWER_UP" : "+POWERING_DOWN";
    case PowerPhase::Off: return "+POWERED_DOWN";
    case PowerPhase::UpWanted: return "+POWERED_DOWN+POWER_UP";
    case PowerPhase::PoweringUp: return "+POWERING_UP";
  }
  return "";
}

}  // namespace

std::string state_long(const Node& node) {
  std::string out(base_name(node));
  if (node.blocked) out += "+BLOCKED";
  if (node.cloud()) out += "+CLOUD";
  if (node.drain) out += "+DRAIN";
  if (node.invalid) out += "+INVALID_REG";
  if (node.fail) out += "+FAIL";
  if (node.completing) out += "+COMPLETING";
  if (node.maintenance) out += "+MAINTENANCE";
  if (node.reserved) out += "+RESERVED";
  if (node.planned) out += "+PLANNED";
  bool heard_of = node.responding || node.switched_off() || node.must_wake();
  if (!heard_of && node.condition != NodeCondition::Future) out += "+NOT_RESPONDING";
  out += power_flag(node);
  if (node.reboot.phase == RebootPhase::Requested) out += "+REBOOT_REQUESTED";
  if (node.reboot.phase == RebootPhase::Issued) out += "+REBOOT_ISSUED";
  return out;
}

std::string state_compact(const Node& node) {
  return std::string(word_of(node).compact).append(mark_of(node));
}

std::string state_word(const Node& node) {
  return std::string(word_of(node).full).append(mark_of(node));
}

Sharing sharing_of(const PartitionSpec& partition) {
  if (partition.exclusive_topo) return Sharing::OneTopo;
  if (partition.exclusive) return Sharing::WholeNodes;
  if (partition.exclusive_user) return Sharing::OneUser;
  if (partition.oversubscribe.starts_with("FORCE")) return Sharing::Forced;
  return partition.oversubscribe.starts_with("YES") ? Sharing::IfAsked : Sharing::No;
}

std::uint32_t sharers_in(const PartitionSpec& partition) {
  std::string_view text = partition.oversubscribe;
  std::string_view word = text.substr(0, text.find(':'));
  if (!same_ignoring_case(word, "FORCE") && !same_ignoring_case(word, "YES")) return 1;
  if (word.size() == text.size()) return kSharersByDefault;
  return std::max(1u, parse_unsigned<std::uint32_t>(text.substr(word.size() + 1)).value_or(1));
}

bool shares_cpus(const PartitionSpec& partition, const JobSpec& spec) {
  if (partition.oversubscribe.size() <= 2) return false;  // NO
  if (sharers_in(partition) <= 1) return false;
  std::string_view text = partition.oversubscribe;
  return same_ignoring_case(text.substr(0, 5), "FORCE") || (spec.oversubscribe && !spec.exclusive);
}

std::string_view name_of(PartitionState state) {
  switch (state) {
    case PartitionState::Up: return "UP";
    case PartitionState::Down: return "DOWN";
    case PartitionState::Drain: return "DRAIN";
    case PartitionState::Inactive: return "INACTIVE";
  }
  return "UP";
}

}  // namespace ym
