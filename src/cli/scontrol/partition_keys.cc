// SPDX-License-Identifier: Apache-2.0
// Keys of `scontrol create partition` and `scontrol update partition`.
#include "base/format.h"
#include "base/text.h"
#include "cli/scontrol/keys.h"
#include "notation/billing.h"
#include "notation/hostlist.h"
#include "notation/job_defaults.h"
#include "notation/size.h"

namespace ym::cli {
namespace {

using Spec = PartitionSpec;

struct PartitionKey {
  KeyInfo info;
  std::string_view member;  // as UpdatePartition::changed has it
  Status (*set)(const KeyInfo&, const Assignment&, Spec&);
};

std::unexpected<Error> bad(const Assignment& one, std::string_view name = {},
                           std::string_view words = {}) {
  if (words.empty())
    return fail(fmt::format("scontrol: error: Invalid input {}={}", one.key, printable(one.value)));
  return fail(
      fmt::format("scontrol: error: Invalid input: {}={}\nscontrol: error: Acceptable {} values "
                  "are {}",
                  one.key, printable(one.value), name, words));
}

template <auto Field>
Status text(const KeyInfo&, const Assignment& one, Spec& spec) {
  spec.*Field = one.value;
  return {};
}
// "ALL" allows everybody, as nothing does.
template <auto Field>
Status list(const KeyInfo&, const Assignment& one, Spec& spec) {
  spec.*Field = same_ignoring_case(one.value, "ALL") ? "" : one.value;
  return {};
}
template <auto Field>
Status truth(const KeyInfo& key, const Assignment& one, Spec& spec) {
  auto value = truth_of(one.value);
  if (!value) return bad(one, key.name, "YES and NO");
  spec.*Field = *value;
  return {};
}
template <auto Field>
Status number(const KeyInfo&, const Assignment& one, Spec& spec) {
  auto value = number_of(one.value);
  if (!value) return bad(one);
  spec.*Field = *value;
  return {};
}
template <auto Field>
Status count(const KeyInfo&, const Assignment& one, Spec& spec) {
  auto value = count_of(one.value);
  if (!value) return bad(one);
  spec.*Field = *value;
  return {};
}
template <auto Field>
Status span(const KeyInfo&, const Assignment& one, Spec& spec) {
  auto value = seconds_of(one.value);
  if (!value) return bad(one);
  spec.*Field = *value;
  return {};
}
template <auto Field>
Status megabytes(const KeyInfo&, const Assignment& one, Spec& spec) {
  auto value = same_ignoring_case(one.value, "UNLIMITED") ? Result<std::uint64_t>(0)
                                                          : parse_megabytes(one.value);
  if (!value) return bad(one);
  spec.*Field = *value;
  return {};
}

Status name(const KeyInfo&, const Assignment& one, Spec& spec) {
  spec.name = one.value;
  return {};
}

Status state(const KeyInfo& key, const Assignment& one, Spec& spec) {
  for (auto state :
       {PartitionState::Up, PartitionState::Down, PartitionState::Drain, PartitionState::Inactive})
    if (same_ignoring_case(one.value, name_of(state))) {
      spec.state = state;
      return {};
    }
  return bad(one, key.name, "UP, DOWN, DRAIN and INACTIVE");
}

Status nodes(const KeyInfo&, const Assignment& one, Spec& spec) {
  if (!same_ignoring_case(one.value, "ALL"))
    if (auto hosts = Hostlist::parse(one.value); !hosts) return std::unexpected(hosts.error());
  spec.nodes = one.value;
  return {};
}

Status oversubscribe(const KeyInfo& key, const Assignment& one, Spec& spec) {
  constexpr std::string_view kWords = "EXCLUSIVE, FORCE, NO, and YES";
  std::string value = to_upper(one.value);
  std::string word = value.substr(0, value.find(':'));
  bool counted = word == "YES" || word == "FORCE";
  if (!counted && value != "NO" && value != "EXCLUSIVE") return bad(one, key.name, kWords);
  if (counted) {
    auto number = word.size() == value.size()
                      ? std::optional<std::uint32_t>(4)
                      : parse_unsigned<std::uint32_t>(value.substr(word.size() + 1));
    if (!number || *number == 0 || *number > 32767) return bad(one, key.name, kWords);
    value = fmt::format("{}:{}", word, *number);
  }
  spec.oversubscribe = value;
  spec.exclusive = value == "EXCLUSIVE";
  return {};
}

Status preempt_mode(const KeyInfo&, const Assignment& one, Spec& spec) {
  for (std::string_view word : split_words(one.value, ',')) {
    bool known = false;
    for (std::string_view mode : {"OFF", "CANCEL", "GANG", "REQUEUE", "SUSPEND", "WITHIN"})
      known = known || same_ignoring_case(word, mode);
    if (!known) return bad(one);
  }
  spec.preempt_mode = to_upper(one.value);
  return {};
}

Status alternate(const KeyInfo&, const Assignment& one, Spec& spec) {
  spec.alternate = same_ignoring_case(one.value, "NONE") ? "" : one.value;
  return {};
}

Status billing_weights(const KeyInfo&, const Assignment& one, Spec& spec) {
  if (!BillingWeights::parse(one.value))
    return fail("slurm_update error: Invalid TRESBillingWeights specification");
  spec.tres_billing_weights = one.value;
  return {};
}

Status priority(const KeyInfo&, const Assignment& one, Spec& spec) {
  auto value = number_of(one.value);
  if (!value || *value > 65533) return bad(one);
  spec.priority_tier = spec.priority_job_factor = *value;
  return {};
}

Status job_defaults(const KeyInfo&, const Assignment& one, Spec& spec) {
  auto listed = JobDefaults::parse(one.value);
  if (!listed) return bad(one);
  if (listed->cpus_per_gpu) spec.default_cpus_per_gpu = *listed->cpus_per_gpu;
  if (listed->memory_per_gpu_mb) spec.default_memory_per_gpu_mb = *listed->memory_per_gpu_mb;
  spec.job_defaults = one.value;
  return {};
}

const std::vector<PartitionKey>& rule_keys() {
  using S = Spec;
  static const std::vector<PartitionKey> keys = {
      {{"PartitionName", "Partition", "NAME", "Which partition"}, "", name},
      {{"AllocNodes", "", "NODES", "Where jobs for it may be submitted"},
       "alloc_nodes",
       text<&S::alloc_nodes>},
      {{"AllowAccounts", "", "LIST", "Accounts that may use it"},
       "allow_accounts",
       list<&S::allow_accounts>},
      {{"AllowGroups", "", "LIST", "Groups that may use it"},
       "allow_groups",
       list<&S::allow_groups>},
      {{"AllowQOS", "", "LIST", "QOS that may be used in it"}, "allow_qos", list<&S::allow_qos>},
      {{"Alternate", "", "NAME", "Where jobs go while it is drained; NONE: nowhere"},
       "alternate",
       alternate},
      {{"CpuBind", "", "TYPE", "Kept and shown, without effect"}, "cpu_bind", text<&S::cpu_bind>},
      {{"Default", "", "YES|NO", "Is it the one for jobs that name none?"},
       "is_default",
       truth<&S::is_default>},
      {{"DenyAccounts", "", "LIST", "Accounts that may not use it"},
       "deny_accounts",
       text<&S::deny_accounts>},
      {{"DenyQOS", "", "LIST", "QOS that may not be used in it"}, "deny_qos", text<&S::deny_qos>},
      {{"DisableRootJobs", "", "YES|NO", "Are root's jobs refused?"},
       "disable_root",
       truth<&S::disable_root>},
      {{"ExclusiveTopo", "", "YES|NO", "Do jobs have their blocks for themselves?"},
       "exclusive_topo",
       truth<&S::exclusive_topo>},
      {{"ExclusiveUser", "", "YES|NO", "One user at a time on a node"},
       "exclusive_user",
       truth<&S::exclusive_user>},
      {{"Hidden", "", "YES|NO", "Shown with --all only"}, "hidden", truth<&S::hidden>},
      {{"JobDefaults", "", "LIST", "DefCpuPerGPU and DefMemPerGPU"}, "job_defaults", job_defaults},
      {{"LLN", "", "YES|NO", "Least loaded nodes first"}, "lln", truth<&S::lln>},
      {{"PowerDownOnIdle", "", "YES|NO", "Off as soon as its jobs are over?"},
       "power_down_on_idle",
       truth<&S::power_down_on_idle>},
      {{"PreemptMode", "", "MODE", "How its jobs make room"}, "preempt_mode", preempt_mode},
      {{"QOS", "", "NAME", "The partition's own QOS"}, "qos", text<&S::qos>},
      {{"ReqResv", "", "YES|NO", "Only jobs with a reservation"}, "req_resv", truth<&S::req_resv>},
      {{"RootOnly", "", "YES|NO", "Only root may submit"}, "root_only", truth<&S::root_only>},
      {{"State", "", "UP|DOWN|DRAIN|INACTIVE", "May jobs come in, may they start?"},
       "state",
       state},
      {{"Topology", "", "NAME", "Kept and shown"}, "topology", text<&S::topology>},
      {{"TRESBillingWeights", "", "LIST", "What a job's resources cost"},
       "tres_billing_weights",
       billing_weights},
  };
  return keys;
}

const std::vector<PartitionKey>& limit_keys() {
  using S = Spec;
  static const std::vector<PartitionKey> keys = {
      {{"DefaultTime", "", "TIME", "Limit of jobs that name none"},
       "default_time_s",
       span<&S::default_time_s>},
      {{"DefMemPerCPU", "", "SIZE", "Memory for each CPU of jobs that name none"},
       "default_memory_per_cpu_mb",
       megabytes<&S::default_memory_per_cpu_mb>},
      {{"DefMemPerNode", "", "SIZE", "The same for each node"},
       "default_memory_per_node_mb",
       megabytes<&S::default_memory_per_node_mb>},
      {{"GraceTime", "", "SECONDS", "For jobs that make room"},
       "grace_time_s",
       number<&S::grace_time_s>},
      {{"MaxCPUsPerNode", "", "COUNT", "CPUs of a node for its jobs"},
       "max_cpus_per_node",
       count<&S::max_cpus_per_node>},
      {{"MaxCPUsPerSocket", "", "COUNT", "Kept and shown, without effect"},
       "max_cpus_per_socket",
       count<&S::max_cpus_per_socket>},
      {{"MaxMemPerCPU", "", "SIZE", "The most memory for a CPU"},
       "max_memory_per_cpu_mb",
       megabytes<&S::max_memory_per_cpu_mb>},
      {{"MaxMemPerNode", "", "SIZE", "The most memory on a node"},
       "max_memory_per_node_mb",
       megabytes<&S::max_memory_per_node_mb>},
      {{"MaxNodes", "", "COUNT", "The most nodes of a job"}, "max_nodes", count<&S::max_nodes>},
      {{"MaxTime", "", "TIME", "The longest limit"}, "max_time_s", span<&S::max_time_s>},
      {{"MinNodes", "", "COUNT", "The fewest nodes of a job"}, "min_nodes", number<&S::min_nodes>},
      {{"Nodes", "", "NODES", "Its nodes; += and -= add and take away"}, "nodes", nodes},
      {{"OverSubscribe", "Shared", "NO|EXCLUSIVE|YES:N|FORCE:N", "May jobs share CPUs?"},
       "oversubscribe",
       oversubscribe},
      {{"OverTimeLimit", "", "MINUTES", "So long over its limit a job is let run"},
       "over_time_limit_min",
       count<&S::over_time_limit_min>},
      {{"Priority", "", "NUMBER", "PriorityTier and PriorityJobFactor"}, "priority_tier", priority},
      {{"PriorityJobFactor", "", "NUMBER", "Part of its jobs' priority"},
       "priority_job_factor",
       number<&S::priority_job_factor>},
      {{"PriorityTier", "", "NUMBER", "Higher ones are served first"},
       "priority_tier",
       number<&S::priority_tier>},
      {{"ResumeTimeout", "", "SECONDS", "How long its nodes may take to come up"},
       "resume_timeout_s",
       count<&S::resume_timeout_s>},
      {{"SuspendTime", "", "SECONDS", "When idle nodes are switched off"},
       "suspend_time_s",
       count<&S::suspend_time_s>},
      {{"SuspendTimeout", "", "SECONDS", "How long its nodes may take to go off"},
       "suspend_timeout_s",
       count<&S::suspend_timeout_s>},
  };
  return keys;
}

// What beside its own member a key changes.
std::vector<std::string_view> members_of(const PartitionKey& key) {
  if (key.info.name == "Priority") return {"priority_tier", "priority_job_factor"};
  if (key.info.name == "OverSubscribe") return {"oversubscribe", "exclusive"};
  if (key.info.name == "JobDefaults")
    return {"job_defaults", "default_cpus_per_gpu", "default_memory_per_gpu_mb"};
  if (key.member.empty()) return {};
  return {key.member};
}

}  // namespace

std::vector<KeyInfo> partition_key_infos() {
  std::vector<KeyInfo> out;
  for (const auto* keys : {&rule_keys(), &limit_keys()})
    for (const PartitionKey& key : *keys) out.push_back(key.info);
  return out;
}

Result<UpdatePartition> partition_update(const std::vector<Assignment>& assignments) {
  UpdatePartition out;
  for (const Assignment& one : assignments) {
    const PartitionKey* key = find_in(rule_keys(), one.key);
    const PartitionKey* other = find_in(limit_keys(), one.key);
    if (!key || (other && is_key(one.key, other->info.name, other->info.alias))) key = other;
    bool may_have_sign = key && key->info.name == "Nodes";
    if (!key || (one.sign != '=' && !may_have_sign))
      return fail(fmt::format("scontrol: error: {}\n\nscontrol: error: Request aborted",
                              not_supported(one, KeyKind::Partition).text));
    if (Status set = key->set(key->info, one, out.spec); !set) return std::unexpected(set.error());
    for (std::string_view member : members_of(*key)) out.changed.emplace_back(member);
  }
  if (out.spec.name.empty()) return fail("No partition was named; use PartitionName=");
  return out;
}

}  // namespace ym::cli
