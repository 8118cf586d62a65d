// SPDX-License-Identifier: Apache-2.0
// Scenarios: the cluster, as slurm.conf, topology.conf and reservations make it.
#include <algorithm>

#include "base/format.h"
#include "config/topology_conf.h"
#include "schedule/knobs.h"
#include "sim/scenario.h"
#include "sim/scenario_words.h"

namespace ym::sim {
namespace {

void set_preemption(PreemptRules& rules, std::string_view key, const std::string& value) {
  if (key == "preempt_type")
    rules.by = value == "qos"    ? PreemptBy::Qos
               : value == "none" ? PreemptBy::Nothing
                                 : PreemptBy::PartitionTier;
  if (key == "preempt_mode") rules.mode_text = preempt_mode_text(value);
  if (key == "preempt_mode") rules.cluster = parse_preempt_mode(value);
  if (key == "exempt_time") rules.exempt_s = number(value);
  if (key == "youngest_first") rules.youngest_first = value == "yes";
  if (key == "strict_order") rules.strict_order = value == "yes";
  if (key == "min_exempt_priority") rules.min_exempt_priority = number(value);
  if (key == "slice") rules.slice_s = number(value);
  if (key == "suspend_grace") rules.suspend_grace_s = number(value);
  if (key == "reclaim_licenses") rules.reclaim_licenses = value == "yes";
}

}  // namespace

std::string Scenario::nodes_defined(const Line& line) {
  for (const std::string& name : names_of(line.words.at(0))) {
    std::erase_if(config_.nodes, [&](const NodeSpec& node) { return node.name == name; });
    if (line.options.contains("gone")) continue;
    NodeSpec node{.name = name, .hostname = name, .address = name};
    for (const auto& [option, value] : line.options) {
      Known key(option);
      if (key == "cpus") node.cpus = number(value);
      if (key == "mem") node.memory_mb = number(value);
      if (key == "weight") node.weight = number(value);
      if (key == "features") node.features = value;
      if (key == "gres") node.gres = value;
      if (key == "state") node.state = to_upper(value);
      if (key == "sockets") node.sockets = number(value);
      if (key == "cores") node.cores_per_socket = number(value);
      if (key == "threads") node.threads_per_core = number(value);
      if (key == "spec_cores") node.core_spec_count = number(value);
      if (key == "spec_mem") node.mem_spec_limit_mb = number(value);
      if (key == "tmp") node.tmp_mb = number(value);
      if (std::string unknown = key.complaint(); !unknown.empty()) return unknown;
    }
    if (line.options.contains("sockets"))
      node.cpus = node.sockets * node.cores_per_socket * node.threads_per_core;
    node.system_cpus = count_system_cpus(node);
    config_.nodes.push_back(node);
  }
  return {};
}

// A line of topology.conf: topology SwitchName=s1 Nodes=n[1-4]
std::string Scenario::topology(const Line& line) {
  std::string first, rest;
  for (const auto& [key, value] : line.options) {
    bool opens =
        key == "SwitchName" || key == "BlockName" || key == "BlockSizes" || key == "RingName";
    (opens ? first : rest) += fmt::format("{}={} ", key, value);
  }
  topology_ += first + rest + "\n";
  auto parsed = parse_topology_conf(
      "topology.conf", [&](const std::string&) -> Result<std::string> { return topology_; });
  if (parsed) config_.topologies = Ref(std::vector{std::move(*parsed)});
  return {};
}

// A list of topologies as topology.yaml has it, on one line: yaml - {topology: …}
std::string Scenario::yaml(const Line& line) {
  auto parsed = parse_topology_yaml("topology.yaml", line.text);
  if (!parsed) return "refused: " + parsed.error().text + "\n";
  config_.topologies = Ref(std::move(*parsed));
  return {};
}

std::string Scenario::partition_defined(const Line& line) {
  const std::string& name = line.words.at(0);
  std::erase_if(config_.partitions, [&](const PartitionSpec& p) { return p.name == name; });
  PartitionSpec spec{.name = name};
  spec.is_default = config_.partitions.empty();
  spec.preempt_mode = config_.preempt.mode_text;
  for (const auto& [option, value] : line.options) {
    Known key(option);
    if (key == "nodes") spec.nodes = value;
    if (key == "max_time") spec.max_time_s = number(value);
    if (key == "max_nodes") spec.max_nodes = number(value);
    if (key == "tier") spec.priority_tier = number(value);
    if (key == "topology") spec.topology = value;
    if (key == "factor") spec.priority_job_factor = number(value);
    if (key == "exclusive") spec.exclusive = value == "yes";
    if (key == "preempt") spec.preempt_mode = value;
    if (key == "exclusive") spec.exclusive_topo = value == "topo";
    if (key == "exclusive") spec.exclusive_user = value == "user";
    if (key == "oversubscribe") spec.oversubscribe = value;
    if (key == "lln") spec.lln = value == "yes";
    if (key == "min_nodes") spec.min_nodes = number(value);
    if (key == "max_cpus") spec.max_cpus_per_node = number(value);
    if (key == "grace") spec.grace_time_s = number(value);
    if (std::string unknown = key.complaint(); !unknown.empty()) return unknown;
  }
  config_.partitions.push_back(spec);
  return {};
}

// What accounting data will tell one day.
std::string Scenario::qos_defined(const Line& line) {
  QosPreemption& qos = config_.preempt.qos[line.words.at(0)];
  for (const auto& [key, value] : line.options) {
    if (key == "priority") qos.priority = number(value);
    if (key == "preempt")
      for (std::string_view one : split_words(value, ',')) qos.preempts.emplace_back(one);
    if (key == "mode") qos.mode = parse_preempt_mode(value).mode;
    if (key == "grace") qos.grace_s = number(value);
    if (key == "exempt_time") qos.exempt_s = number(value);
    if (key == "within") qos.within = value == "yes";
  }
  return {};
}

std::string Scenario::set(const Line& line) {
  if (auto at = line.options.find("licenses"); at != line.options.end())
    config_.licenses = at->second;
  for (const auto& [key, value] : line.options) {
    if (key == "return_to_service") config_.return_to_service = number(value);
    if (key == "min_job_age") config_.min_job_age = std::chrono::seconds(number(value));
    if (key == "slurmd_timeout") config_.slurmd_timeout = std::chrono::seconds(number(value));
    if (key == "memory") config_.memory_is_consumable = value == "yes";
    if (key == "unit")
      config_.cpu_unit = value == "cpu"      ? CpuUnit::Cpu
                         : value == "socket" ? CpuUnit::Socket
                                             : CpuUnit::Core;
    if (key == "enforce") config_.enforce_partition_limits = value != "no";
    if (key == "enforce") config_.any_partition_suffices = value == "any";
    if (key == "max_array_size") config_.max_array_size = number(value);
    set_preemption(config_.preempt, key, value);
    if (key == "whole_nodes") config_.whole_nodes = value == "yes";
    if (key == "gres_types") config_.gres_types = value;
    if (key == "suspend_program") config_.power.suspend_program = value;
    if (key == "resume_program") config_.power.resume_program = value;
    if (key == "resume_fail_program") config_.power.resume_fail_program = value;
    if (key == "suspend_time") config_.power.suspend_time = std::chrono::seconds(number(value));
    if (key == "suspend_timeout")
      config_.power.suspend_timeout = std::chrono::seconds(number(value));
    if (key == "resume_timeout") config_.resume_timeout = std::chrono::seconds(number(value));
    if (key == "suspend_rate") config_.power.suspend_rate = number(value);
    if (key == "resume_rate") config_.power.resume_rate = number(value);
    if (key == "except_nodes") config_.power.except_nodes = value;
    if (key == "slurmctld_parameters") config_.shown.emplace_back("SlurmctldParameters", value);
    if (key == "kill_invalid") config_.kill_on_invalid_dependency = value == "yes";
  }
  return {};
}

// Words of SchedulerParameters: scheduler ym_policy=easy bf_max_job_user=1
std::string Scenario::scheduler(const Line& line) {
  std::string text = line.text;
  std::ranges::replace(text, ' ', ',');
  KnobReading read = read_knobs(text);
  planner_.set_policy(*read.knobs.policy);
  budget_ = read.knobs.budget;
  std::string said;
  for (const std::string& one : read.warnings) said += one + "\n";
  return said;
}

// reservation NAME start=60 duration=600 nodes=n[1-2] users=ada flags=MAINT; or: reservation NAME
// gone
std::string Scenario::reservation(const Line& line) {
  UpdateReservation update{.create = true};
  Reservation& wanted = update.wanted;
  wanted.name = line.words.at(0);
  if (line.words.size() > 1) {
    update.create = false;
    update.remove = line.words[1] == "gone";
    update.skip = line.words[1] == "skip";
  }
  for (const auto& [key, value] : line.options) {
    update.changed.push_back(key == "nodes" ? "node_text" : key == "nodecnt" ? "node_count" : key);
    if (key == "start") wanted.start = moment(value);
    if (key == "duration") update.duration_s = number(value);
    if (key == "nodes") wanted.node_text = value;
    if (key == "nodecnt") wanted.node_count = number(value);
    if (key == "users") wanted.users = value;
    if (key == "licenses") wanted.licenses = value;
    if (key == "partition") wanted.partition = value;
    if (key == "flags")
      for (std::string_view one : split_words(value, ','))
        if (auto flag = reservation_flag(one)) wanted.flags |= static_cast<std::uint64_t>(*flag);
  }
  controller_.update_reservation({++requests_}, update, root(), now_, out_);
  return {};
}

}  // namespace ym::sim
