// SPDX-License-Identifier: Apache-2.0
// The keys of `scontrol update` and what each changes: one table for each kind of thing.
#include <functional>
#include <limits>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/scontrol/rare_job_keys.h"
#include "notation/hostlist.h"
#include "notation/size.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kUnlimited = 0xffffffff;

Result<std::uint32_t> number_of(std::string_view text) {
  auto number = parse_unsigned<std::uint32_t>(text);
  if (!number) return fail(fmt::format("'{}' is not a number", printable(text)));
  return *number;
}

Result<bool> yes_no(std::string_view text) {
  if (same_ignoring_case(text, "yes") || text == "1") return true;
  if (same_ignoring_case(text, "no") || text == "0") return false;
  return fail(fmt::format("'{}' is neither YES nor NO", printable(text)));
}

Result<std::uint32_t> seconds_of(std::string_view text) {
  auto limit = parse_time_limit(text);
  if (!limit) return std::unexpected(limit.error());
  return limit->unlimited ? kUnlimited : static_cast<std::uint32_t>(limit->minutes() * 60);
}

Result<std::uint32_t> count_of(std::string_view text) {
  if (same_ignoring_case(text, "UNLIMITED") || same_ignoring_case(text, "INFINITE"))
    return kUnlimited;
  return number_of(text);
}

template <class Target, class Value>
Status put(Target& target, const Result<Value>& value) {
  if (!value) return std::unexpected(value.error());
  target = *value;
  return {};
}

Status put_nodes(JobPatch& patch, std::string_view text) {
  auto dash = text.find('-');
  auto low = number_of(text.substr(0, dash));
  if (!low) return std::unexpected(low.error());
  auto high = dash == std::string_view::npos ? low : number_of(text.substr(dash + 1));
  if (!high) return std::unexpected(high.error());
  patch.min_nodes = *low;
  patch.max_nodes = *high;
  return {};
}

struct JobKey {
  std::string_view name;
  std::string_view alias;  // "" for none
  Status (*set)(JobPatch&, const std::string& value, Instant now);
};

const std::vector<JobKey>& job_keys() {
  using P = JobPatch&;
  using V = const std::string&;
  static const std::vector<JobKey> keys = {
      {"TimeLimit", "", [](P p, V v, Instant) { return put(p.time_limit_s, seconds_of(v)); }},
      {"Priority", "", [](P p, V v, Instant) { return put(p.priority, number_of(v)); }},
      {"Nice", "",
       [](P p, V v, Instant) -> Status {
         auto nice = parse_i64(v.empty() ? "100" : v);
         if (!nice || *nice > std::numeric_limits<std::int32_t>::max() || *nice < -2147483645)
           return fail(fmt::format("'{}' is not a nice value", printable(v)));
         p.nice = static_cast<std::int32_t>(*nice);
         return {};
       }},
      {"JobName", "Name",
       [](P p, V v, Instant) -> Status {
         p.name = v;
         return {};
       }},
      {"Partition", "",
       [](P p, V v, Instant) -> Status {
         p.partitions = v;
         return {};
       }},
      {"Account", "",
       [](P p, V v, Instant) -> Status {
         p.account = v;
         return {};
       }},
      {"QOS", "",
       [](P p, V v, Instant) -> Status {
         p.qos = v;
         return {};
       }},
      {"Comment", "",
       [](P p, V v, Instant) -> Status {
         p.comment = v;
         return {};
       }},
      {"AdminComment", "",
       [](P p, V v, Instant) -> Status {
         p.admin_comment = v;
         return {};
       }},
      {"Extra", "",
       [](P p, V v, Instant) -> Status {
         p.extra = v;
         return {};
       }},
      {"Dependency", "",
       [](P p, V v, Instant) -> Status {
         p.dependency = v;
         return {};
       }},
  };
  return keys;
}

const std::vector<JobKey>& more_job_keys() {
  using P = JobPatch&;
  using V = const std::string&;
  static const std::vector<JobKey> keys = {
      {"Features", "",
       [](P p, V v, Instant) -> Status {
         p.features = v;
         return {};
       }},
      {"WorkDir", "",
       [](P p, V v, Instant) -> Status {
         p.work_dir = v;
         return {};
       }},
      {"StdOut", "",
       [](P p, V v, Instant) -> Status {
         p.std_out = v;
         return {};
       }},
      {"ReqNodeList", "NodeList",
       [](P p, V v, Instant) -> Status {
         p.required_nodes = v;
         return {};
       }},
      {"ExcNodeList", "",
       [](P p, V v, Instant) -> Status {
         p.excluded_nodes = v;
         return {};
       }},
      {"NumNodes", "", [](P p, V v, Instant) { return put_nodes(p, v); }},
      {"NumTasks", "", [](P p, V v, Instant) { return put(p.tasks, number_of(v)); }},
      {"CPUsPerTask", "", [](P p, V v, Instant) { return put(p.cpus_per_task, number_of(v)); }},
      {"ArrayTaskThrottle", "",
       [](P p, V v, Instant) { return put(p.array_max_running, number_of(v)); }},
      {"Requeue", "", [](P p, V v, Instant) { return put(p.requeue, yes_no(v)); }},
      {"StartTime", "EligibleTime",
       [](P p, V v, Instant now) { return put(p.begin, parse_timestamp(v, now, local_zone())); }},
      {"Deadline", "",
       [](P p, V v, Instant now) {
         return put(p.deadline, parse_timestamp(v, now, local_zone()));
       }},
  };
  return keys;
}

struct PartitionKey {
  std::string_view name;
  std::string_view member;  // as UpdatePartition::changed has it
  Status (*set)(PartitionSpec&, const std::string& value);
};

Status put_state(PartitionSpec& spec, const std::string& value) {
  for (PartitionState state :
       {PartitionState::Up, PartitionState::Down, PartitionState::Drain, PartitionState::Inactive})
    if (same_ignoring_case(value, name_of(state))) {
      spec.state = state;
      return {};
    }
  return fail(
      fmt::format("Invalid state: {}; it is UP, DOWN, DRAIN or INACTIVE", printable(value)));
}

const std::vector<PartitionKey>& partition_keys() {
  using S = PartitionSpec&;
  using V = const std::string&;
  static const std::vector<PartitionKey> keys = {
      {"PartitionName", "",
       [](S s, V v) -> Status {
         s.name = v;
         return {};
       }},
      {"State", "state", put_state},
      {"Nodes", "nodes",
       [](S s, V v) -> Status {
         if (auto hosts = Hostlist::parse(v); !hosts) return std::unexpected(hosts.error());
         s.nodes = v;
         return {};
       }},
      {"Default", "is_default", [](S s, V v) { return put(s.is_default, yes_no(v)); }},
      {"Hidden", "hidden", [](S s, V v) { return put(s.hidden, yes_no(v)); }},
      {"RootOnly", "root_only", [](S s, V v) { return put(s.root_only, yes_no(v)); }},
      {"DisableRootJobs", "disable_root", [](S s, V v) { return put(s.disable_root, yes_no(v)); }},
      {"MaxTime", "max_time_s", [](S s, V v) { return put(s.max_time_s, seconds_of(v)); }},
      {"DefaultTime", "default_time_s",
       [](S s, V v) { return put(s.default_time_s, seconds_of(v)); }},
      {"MinNodes", "min_nodes", [](S s, V v) { return put(s.min_nodes, number_of(v)); }},
      {"MaxNodes", "max_nodes", [](S s, V v) { return put(s.max_nodes, count_of(v)); }},
      {"MaxCPUsPerNode", "max_cpus_per_node",
       [](S s, V v) { return put(s.max_cpus_per_node, count_of(v)); }},
      {"PriorityTier", "priority_tier",
       [](S s, V v) { return put(s.priority_tier, number_of(v)); }},
      {"PriorityJobFactor", "priority_job_factor",
       [](S s, V v) { return put(s.priority_job_factor, number_of(v)); }},
  };
  return keys;
}

const std::vector<PartitionKey>& more_partition_keys() {
  using S = PartitionSpec&;
  using V = const std::string&;
  static const std::vector<PartitionKey> keys = {
      {"GraceTime", "grace_time_s", [](S s, V v) { return put(s.grace_time_s, number_of(v)); }},
      {"DefMemPerNode", "default_memory_per_node_mb",
       [](S s, V v) { return put(s.default_memory_per_node_mb, parse_megabytes(v)); }},
      {"DefMemPerCPU", "default_memory_per_cpu_mb",
       [](S s, V v) { return put(s.default_memory_per_cpu_mb, parse_megabytes(v)); }},
      {"MaxMemPerNode", "max_memory_per_node_mb",
       [](S s, V v) { return put(s.max_memory_per_node_mb, parse_megabytes(v)); }},
      {"MaxMemPerCPU", "max_memory_per_cpu_mb",
       [](S s, V v) { return put(s.max_memory_per_cpu_mb, parse_megabytes(v)); }},
      {"AllowGroups", "allow_groups",
       [](S s, V v) -> Status {
         s.allow_groups = v == "ALL" ? "" : v;
         return {};
       }},
      {"AllowAccounts", "allow_accounts",
       [](S s, V v) -> Status {
         s.allow_accounts = v == "ALL" ? "" : v;
         return {};
       }},
      {"DenyAccounts", "deny_accounts",
       [](S s, V v) -> Status {
         s.deny_accounts = v;
         return {};
       }},
      {"AllowQos", "allow_qos",
       [](S s, V v) -> Status {
         s.allow_qos = v == "ALL" ? "" : v;
         return {};
       }},
      {"DenyQos", "deny_qos",
       [](S s, V v) -> Status {
         s.deny_qos = v;
         return {};
       }},
      {"QoS", "qos",
       [](S s, V v) -> Status {
         s.qos = v;
         return {};
       }},
      {"Alternate", "alternate",
       [](S s, V v) -> Status {
         s.alternate = v;
         return {};
       }},
      {"OverSubscribe", "oversubscribe",
       [](S s, V v) -> Status {
         s.oversubscribe = to_upper(v);
         s.exclusive = s.oversubscribe == "EXCLUSIVE";
         return {};
       }},
      {"OverTimeLimit", "over_time_limit_min",
       [](S s, V v) { return put(s.over_time_limit_min, count_of(v)); }},
      {"PreemptMode", "preempt_mode",
       [](S s, V v) -> Status {
         s.preempt_mode = to_upper(v);
         return {};
       }},
  };
  return keys;
}

std::unexpected<Error> unknown(std::string_view key) {
  return fail(fmt::format("Update of this parameter is not supported: {}", printable(key)));
}

}  // namespace

Result<std::pair<std::string, JobPatch>> job_patch(const std::vector<Assignment>& assignments,
                                                   Instant now) {
  std::pair<std::string, JobPatch> out;
  for (const Assignment& one : assignments) {
    if (same_ignoring_case(one.key, "JobId") || same_ignoring_case(one.key, "Job")) {
      out.first = one.value;
      continue;
    }
    auto rare = set_rare_job_key(out.second, one);
    if (!rare) return std::unexpected(rare.error());
    if (*rare) continue;
    const JobKey* found = nullptr;
    for (const auto* keys : {&job_keys(), &more_job_keys()})
      for (const JobKey& key : *keys)
        if (same_ignoring_case(key.name, one.key) ||
            (!key.alias.empty() && same_ignoring_case(key.alias, one.key)))
          found = &key;
    if (!found) return unknown(one.key);
    if (one.sign != '=')
      return fail(fmt::format("{}{}= is not understood; give the whole value", one.key, one.sign));
    if (Status set = found->set(out.second, one.value, now); !set)
      return fail(fmt::format("Invalid {}: {}", one.key, set.error().text));
  }
  if (out.first.empty()) return fail("No job was named; use JobId=");
  return out;
}

Result<UpdatePartition> partition_update(const std::vector<Assignment>& assignments) {
  UpdatePartition out;
  for (const Assignment& one : assignments) {
    const PartitionKey* found = nullptr;
    for (const auto* keys : {&partition_keys(), &more_partition_keys()})
      for (const PartitionKey& key : *keys)
        if (same_ignoring_case(key.name, one.key)) found = &key;
    if (!found && same_ignoring_case(one.key, "partition")) found = &partition_keys()[0];
    if (!found) return unknown(one.key);
    if (one.sign != '=')
      return fail(fmt::format("{}{}= is not understood; give the whole value", one.key, one.sign));
    if (Status set = found->set(out.spec, one.value); !set)
      return fail(fmt::format("Invalid {}: {}", one.key, set.error().text));
    if (!found->member.empty()) out.changed.emplace_back(found->member);
    if (found->member == "oversubscribe") out.changed.emplace_back("exclusive");
  }
  if (out.spec.name.empty()) return fail("No partition was named; use PartitionName=");
  return out;
}

Result<UpdateNodes> node_update(const std::vector<Assignment>& assignments) {
  static constexpr std::string_view states[] = {
      "DOWN", "DRAIN", "FAIL", "RESUME", "UNDRAIN", "IDLE", "POWER_UP", "FUTURE", "CANCEL_REBOOT"};
  UpdateNodes out;
  for (const Assignment& one : assignments) {
    if (same_ignoring_case(one.key, "NodeName") || same_ignoring_case(one.key, "Node")) {
      if (auto hosts = Hostlist::parse(one.value); !hosts && one.value != "ALL")
        return std::unexpected(hosts.error());
      out.nodes = one.value;
    } else if (same_ignoring_case(one.key, "State")) {
      for (std::string_view state : states)
        if (!one.value.empty() && starts_with_ignoring_case(state, one.value) && out.state.empty())
          out.state = state;
      if (out.state.empty())
        return fail(fmt::format("Invalid node state specified: {}", printable(one.value)));
    } else if (same_ignoring_case(one.key, "Reason")) {
      out.reason = one.value;
    } else if (same_ignoring_case(one.key, "Features") ||
               same_ignoring_case(one.key, "AvailableFeatures")) {
      out.features = one.value;
    } else if (same_ignoring_case(one.key, "Comment")) {
      out.comment = one.value;
    } else if (same_ignoring_case(one.key, "Extra")) {
      out.extra = one.value;
    } else if (same_ignoring_case(one.key, "Weight")) {
      auto weight = number_of(one.value);
      if (!weight) return std::unexpected(weight.error());
      out.weight = *weight;
    } else {
      return unknown(one.key);
    }
  }
  bool wants_reason = out.state == "DOWN" || out.state == "DRAIN" || out.state == "FAIL";
  if (wants_reason && (!out.reason || out.reason->empty()))
    return fail(fmt::format("You must specify a reason when {} a node. Request denied",
                            out.state == "DRAIN"  ? "DRAINING"
                            : out.state == "FAIL" ? "FAILING"
                                                  : "DOWNING"));
  return out;
}

}  // namespace ym::cli
