// SPDX-License-Identifier: Apache-2.0
// A partition: a named set of nodes with its own rules.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "model/ids.h"

namespace ym {

struct JobSpec;

// DO NOT CHANGE THESE VALUES: they are in logs and on the wire.
enum class PartitionState : std::uint8_t { Up = 0, Down = 1, Drain = 2, Inactive = 3 };
std::string_view name_of(PartitionState state);

// What a partition does with jobs that say nothing about sharing. DO NOT CHANGE THESE VALUES: they
// are on the wire.
enum class Sharing : std::uint8_t {
  No = 0,          // each CPU has one job
  IfAsked = 1,     // OverSubscribe=YES: --oversubscribe
  Forced = 2,      // OverSubscribe=FORCE
  WholeNodes = 3,  // Exclusive=NODE, or OverSubscribe=EXCLUSIVE
  OneUser = 4,     // Exclusive=USER
  OneTopo = 5,     // Exclusive=TOPO
};

// PartitionSpec::over_time_limit_min of a partition that does not say.
constexpr std::uint32_t kOverTimeOfCluster = 0xfffffffe;

struct PartitionSpec {
  std::string name;
  std::string nodes;  // hostlist as configured, "ALL" resolved
  PartitionState state = PartitionState::Up;
  bool is_default = false;
  bool hidden = false;
  bool root_only = false;
  bool disable_root = false;
  bool exclusive = false;                 // OverSubscribe=EXCLUSIVE: whole nodes only
  bool exclusive_user = false;            // a node serves one user at a time
  bool lln = false;                       // least loaded nodes first
  bool req_resv = false;                  // only jobs that name a reservation
  std::uint32_t max_time_s = 0xffffffff;  // kUnlimited
  std::uint32_t default_time_s = 0;       // 0: as max_time
  std::uint32_t min_nodes = 0, max_nodes = 0xffffffff;
  std::uint32_t max_cpus_per_node = 0xffffffff, max_cpus_per_socket = 0xffffffff;
  std::uint32_t priority_tier = 1, priority_job_factor = 1;
  std::uint64_t default_memory_per_node_mb = 0, default_memory_per_cpu_mb = 0;
  std::uint64_t max_memory_per_node_mb = 0, max_memory_per_cpu_mb = 0;
  std::uint32_t grace_time_s = 0;
  std::string allow_groups, allow_accounts, deny_accounts, allow_qos, deny_qos, qos, alternate;
  std::string alloc_nodes = "ALL", tres_billing_weights;
  std::string oversubscribe = "NO", preempt_mode = "OFF";
  std::uint32_t over_time_limit_min = kOverTimeOfCluster;  // kUnlimited: for ever
  std::uint32_t default_cpus_per_gpu = 0;                  // 0: the cluster's
  std::uint64_t default_memory_per_gpu_mb = 0;
  bool exclusive_topo = false, power_down_on_idle = false;
  std::string cpu_bind, topology, job_defaults;
  // kOfCluster: as slurm.conf says for all.
  static constexpr std::uint32_t kOfCluster = 0xfffffffe;
  std::uint32_t suspend_time_s = kOfCluster, suspend_timeout_s = kOfCluster,
                resume_timeout_s = kOfCluster;
  bool operator==(const PartitionSpec&) const = default;
};

Sharing sharing_of(const PartitionSpec& partition);
// OverSubscribe=FORCE:count, YES:count: so many jobs may have a CPU at once. 1: it has one job.
inline constexpr std::uint32_t kSharersByDefault = 4;  // without a count
std::uint32_t sharers_in(const PartitionSpec& partition);
// Does the job share its CPUs there? With FORCE it is not asked, with YES only if it says so.
bool shares_cpus(const PartitionSpec& partition, const JobSpec& spec);

struct Partition {
  PartitionId id;
  Ref<PartitionSpec> spec;
  Ref<std::vector<NodeId>> nodes;  // ascending
  bool operator==(const Partition&) const = default;
};

}  // namespace ym
