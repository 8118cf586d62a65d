// SPDX-License-Identifier: Apache-2.0
// A node: what the configuration says of it, what it said of itself, and what has become of it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "base/time.h"
#include "model/gres.h"
#include "model/ids.h"

namespace ym {

// What no two jobs share: SelectTypeParameters=CR_CPU, CR_Core, CR_Socket. A job's part of a node
// is as many of these as hold its tasks, so that a single task has all threads of its core.
enum class CpuUnit : std::uint8_t { Cpu, Core, Socket };

// One node of slurm.conf.
struct NodeSpec {
  std::string name, hostname, address;
  std::uint16_t port = 0;
  std::uint32_t cpus = 1, boards = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
  std::uint64_t memory_mb = 1, tmp_mb = 0;
  std::uint32_t weight = 1;
  std::string features, gres, reason;
  std::string state;                    // State= of the line: UNKNOWN, DOWN, DRAIN, FUTURE …
  std::string cpu_spec_list;            // CPUs kept from jobs, by number
  std::uint32_t core_spec_count = 0;    // or so many cores
  std::uint64_t mem_spec_limit_mb = 0;  // memory kept from jobs
  std::uint32_t system_cpus = 0;  // CPUs that the former two keep from jobs: count_system_cpus
  bool dynamic = false;  // made by `scontrol create node`, not by slurm.conf: stays without it
  static constexpr std::uint32_t kUsual = 0xfffffffe;
  std::uint32_t suspend_time_s = kUsual;  // kUsual: as its partitions or the cluster have it
  bool operator==(const NodeSpec&) const = default;

  // CPUs of one core: 1 where CPUs= counts cores, or says nothing about them.
  std::uint32_t cpus_per_core() const;
  // What jobs may have of it.
  std::uint32_t cpus_for_jobs() const { return cpus - (system_cpus < cpus ? system_cpus : cpus); }
  std::uint64_t memory_for_jobs() const {
    return memory_mb - (mem_spec_limit_mb < memory_mb ? mem_spec_limit_mb : memory_mb);
  }
};
// Whole cores, in CPUs of the node: CoreSpecCount of them, or those that CpuSpecList touches. The
// list has Slurm's own numbers: socket after socket, core after core.
std::uint32_t count_system_cpus(const NodeSpec& node);

// What slurmd found on its machine.
struct NodeRegistration {
  std::uint32_t cpus = 0, boards = 0, sockets = 0, cores_per_socket = 0, threads_per_core = 0;
  std::uint64_t memory_mb = 0, tmp_mb = 0;
  std::string version, os, arch;
  Instant boot_time, slurmd_start;
  std::string address;
  std::uint16_t port = 0;
  std::string boot_id;  // new at each boot, whatever the clock says
  std::vector<GresItem> gres;
  bool operator==(const NodeRegistration&) const = default;
};

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class NodeCondition : std::uint8_t { Unknown = 0, Up = 1, Down = 2, Future = 3 };

// `scontrol reboot`. DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class RebootPhase : std::uint8_t {
  None = 0,
  Requested = 1,  // to be done when no job is left on the node
  Issued = 2,     // the node has been told; it is expected back
};
enum class RebootNext : std::uint8_t { None = 0, Resume = 1, Down = 2 };
struct NodeReboot {
  RebootPhase phase = RebootPhase::None;
  RebootNext next = RebootNext::None;
  bool drained = false;  // ASAP: it was drained only for this
  Instant issued;
  bool operator==(const NodeReboot&) const = default;
};

// Power saving. DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class PowerPhase : std::uint8_t {
  On = 0,
  DownWanted = 1,    // POWER_DOWN: to be switched off when no job is left
  PoweringDown = 2,  // SuspendProgram was told; it has SuspendTimeout
  Off = 3,           // POWERED_DOWN
  UpWanted = 4,      // POWER_UP: ResumeProgram is to be told
  PoweringUp = 5,    // it was; the node has ResumeTimeout to register
};
struct NodePower {
  PowerPhase phase = PowerPhase::On;
  Instant since;
  bool drained = false;    // POWER_DOWN_ASAP: it was drained only for this
  bool up_wanted = false;  // to be switched on as soon as it is off
  bool operator==(const NodePower&) const = default;
};

struct Node {
  NodeId id;
  Ref<NodeSpec> spec;
  Ref<NodeRegistration> registration;
  NodeCondition condition = NodeCondition::Unknown;
  bool drain = false;
  bool fail = false;
  bool responding = false;
  bool down_by_admin = false;  // only an administrator brings it back
  std::string reason;
  Uid reason_uid;
  Instant reason_time;
  Instant last_busy;
  std::uint32_t cpus_used = 0;
  std::uint64_t memory_used_mb = 0;
  std::uint32_t jobs = 0;        // that hold something here, completing ones included
  std::uint32_t completing = 0;  // of these, completing
  std::uint32_t exclusive = 0;   // of these, with the whole node
  NodeReboot reboot;
  std::string comment, extra;  // for people
  // Of a row that people are shown only: a reservation that is active now has it; a job that starts
  // later is to have it; it registered with less than slurm.conf says; a job with
  // --exclusive=topo keeps it from others, without using it.
  bool reserved = false, maintenance = false, planned = false, invalid = false, blocked = false;
  Uid owner;                    // of the jobs here; meaningful while there are any
  bool several_owners = false;  // more than one, since it was last empty
  std::uint32_t for_user = 0;   // of the jobs here, with --exclusive=user
  // As slurm.conf and the registration say, and what jobs hold of it.
  Ref<GresKinds> gres;
  std::string instance_id, instance_type;  // of a cloud, for people
  std::string cpu_bind;                    // --cpu-bind of steps that have no wish
  std::string active_features;             // with `features_chosen`: the others are switched off
  bool features_chosen = false;
  // Jobs here that are suspended for others, and what they want back; `jobs` counts them,
  // `exclusive` and `for_user` do not.
  std::uint32_t parked = 0, parked_cpus = 0;
  Instant resume_after;  // down or drained until then; none: until somebody resumes it
  NodePower power;
  std::uint32_t for_topo = 0;  // of the jobs here, with --exclusive=topo; not those that are parked
  // The like of `owner`, `several_owners` and `for_user` by MCS label.
  std::string mcs_label;
  bool several_mcs = false;
  std::uint32_t for_mcs = 0;
  // CPUs of the jobs that share theirs (OverSubscribe without GANG), by row, counted from 1: those
  // of one row have different CPUs. While there are any, nobody has CPUs here for himself alone.
  // None: nobody shares.
  Ref<std::vector<std::uint32_t>> rows;
  JobId
      kept_for;  // nobody else starts here: it lost its nodes, and comes back (JobSpecials::keeps)

  // A node of a cloud: not there unless it is switched on.
  bool cloud() const { return spec->state == "CLOUD"; }
  // Off, and work for it would switch it on.
  bool asleep() const { return power.phase == PowerPhase::Off; }
  // On, or on its way there: jobs that are given it now wait until it has registered.
  bool must_wake() const {
    return power.phase == PowerPhase::Off || power.phase == PowerPhase::UpWanted ||
           power.phase == PowerPhase::PoweringUp;
  }
  // Nothing that it says, or does not say, counts.
  bool switched_off() const {
    return power.phase == PowerPhase::PoweringDown || power.phase == PowerPhase::Off;
  }
  const std::string& features_now() const {
    return features_chosen ? active_features : spec->features;
  }
  // May new work be placed here now?
  bool usable() const {
    return condition == NodeCondition::Up && (responding || must_wake()) && !drain && !fail &&
           reboot.phase != RebootPhase::Issued && power.phase != PowerPhase::PoweringDown;
  }
  // That a job would have for itself, or in a row of those who share.
  std::uint32_t cpus_free(std::uint32_t row = 0) const {
    // A new configuration may give a node fewer than are in use.
    std::uint32_t all = spec->cpus_for_jobs();
    if (row || rows) return row ? cpus_free_in_row(row) : 0;
    return exclusive || cpus_used >= all ? 0 : all - cpus_used;
  }
  // CPUs that anybody has, as people are shown them: those that are shared count once, as far as
  // the controller can tell.
  std::uint32_t cpus_taken() const {
    return rows && cpus_used > spec->cpus_for_jobs() ? spec->cpus_for_jobs() : cpus_used;
  }
  bool operator==(const Node&) const = default;

 private:
  std::uint32_t cpus_free_in_row(std::uint32_t row) const;
};

// As scontrol shows it: "IDLE", "MIXED+DRAIN", "DOWN+NOT_RESPONDING".
std::string state_long(const Node& node);
// As sinfo does, in its two lengths: "mix", "drng", "down*" and "mixed", "draining", "down*"; with
// "@" while a reboot is waited for and "^" while it happens, "~" while it is switched off and "#"
// on its way from there, "%" on its way there and "!" before that; "-" if the rest of it is kept
// for a job that starts later.
std::string state_compact(const Node& node);
std::string state_word(const Node& node);

}  // namespace ym
