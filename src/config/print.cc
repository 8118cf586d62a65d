// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "config/parse.h"
#include "config/preempt.h"
#include "config/security.h"
#include "config/values.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"

namespace ym {
namespace {

constexpr std::size_t kPrintedLineMax = kConfigLineBytesMax / 2;

// A value as split_assignments reads it back.
std::string quoted(std::string_view value) {
  bool plain = !value.empty() && value.find_first_of(" \t#\\\"") == std::string_view::npos;
  if (plain) return std::string(value);
  if (value.find('"') == std::string_view::npos) return fmt::format("\"{}\"", value);
  std::string out;
  for (char c : value) {
    if (c == ' ' || c == '\t' || c == '#' || c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

class Line {
 public:
  Line(std::string_view key, std::string_view value) { put(key, value); }
  Line() = default;

  void put(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : " ", key, quoted(value));
  }
  void text(std::string_view key, std::string_view value, std::string_view otherwise = "") {
    if (value != otherwise) put(key, value);
  }
  void number(std::string_view key, std::uint64_t value, std::uint64_t otherwise) {
    if (value != otherwise) put(key, fmt::format("{}", value));
  }
  void limit(std::string_view key, std::uint32_t value) {
    if (value != kConfigUnlimited) put(key, fmt::format("{}", value));
  }
  void yes(std::string_view key, bool value) {
    if (value) put(key, "YES");
  }
  void time(std::string_view key, std::uint32_t seconds, std::uint32_t otherwise) {
    if (seconds != otherwise)
      put(key, seconds == kConfigUnlimited ? "UNLIMITED"
                                           : print_span_long(std::chrono::seconds(seconds)));
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

class MainPrinter {
 public:
  void text(std::string_view key, std::string_view value, std::string_view otherwise) {
    if (value != otherwise) out_ += fmt::format("{}={}\n", key, quoted(value));
  }
  void number(std::string_view key, std::uint64_t value, std::uint64_t otherwise) {
    if (value != otherwise) out_ += fmt::format("{}={}\n", key, value);
  }
  void seconds(std::string_view key, Duration value, Duration otherwise) {
    if (value != otherwise) out_ += fmt::format("{}={}\n", key, value.count() / 1000);
  }
  std::string out_;
};

std::string auth_info(const ClusterConfig& c) {
  std::string out;
  auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, value);
  };
  add("key_file", c.key_file);
  SecurityConfig security = security_of(c);
  add("jwks_file", security.jwks_file);
  if (security.clock_skew != SecurityConfig{}.clock_skew)
    add("clock_skew", fmt::format("{}", security.clock_skew.count() / 1000));
  return out;
}

std::string private_data(const ClusterConfig& c) {
  const PrivateData h = security_of(c).hidden;
  std::string out;
  for (auto [set, word] : {std::pair{h.accounts, "accounts"},
                           {!c.power.hide_cloud, "cloud"},
                           {h.events, "events"},
                           {h.jobs, "jobs"},
                           {h.nodes, "nodes"},
                           {h.partitions, "partitions"},
                           {h.reservations, "reservations"},
                           {h.usage, "usage"},
                           {h.users, "users"}})
    if (set) out += fmt::format("{}{}", out.empty() ? "" : ",", word);
  return out;
}

void print_preemption(const PreemptRules& rules, MainPrinter& p) {
  const PreemptRules d;
  p.text("PreemptType",
         rules.by == PreemptBy::Qos             ? "preempt/qos"
         : rules.by == PreemptBy::PartitionTier ? "preempt/partition_prio"
                                                : "preempt/none",
         "preempt/none");
  p.text("PreemptMode", rules.mode_text, d.mode_text);
  if (rules.exempt_s)
    p.text("PreemptExemptTime", print_span_long(std::chrono::seconds(rules.exempt_s)), "");
  p.text("PreemptParameters", preempt_parameters(rules), "");
  p.number("SchedulerTimeSlice", rules.slice_s, d.slice_s);
}

std::string print_main(const ClusterConfig& c) {
  const ClusterConfig d;
  MainPrinter p;
  p.text("ClusterName", c.cluster_name, "");
  for (const ControllerHost& host : c.controllers)
    p.text("SlurmctldHost",
           host.name == host.address ? host.name : fmt::format("{}({})", host.name, host.address),
           "");
  p.number("SlurmctldPort", c.controller_port, d.controller_port);
  p.number("SlurmdPort", c.node_port, d.node_port);
  p.text("SlurmUser", c.slurm_user, d.slurm_user);
  p.text("SlurmdUser", c.node_user, d.node_user);
  p.text("StateSaveLocation", c.state_dir, d.state_dir);
  p.text("SlurmdSpoolDir", c.spool_dir, d.spool_dir);
  p.text("SlurmctldPidFile", c.controller_pid_file, d.controller_pid_file);
  p.text("SlurmdPidFile", c.node_pid_file, d.node_pid_file);
  p.text("SlurmctldLogFile", c.controller_log, d.controller_log);
  p.text("SlurmdLogFile", c.node_log, d.node_log);
  p.text("SlurmctldDebug", c.controller_debug, d.controller_debug);
  p.text("SlurmdDebug", c.node_debug, d.node_debug);
  p.text("AuthInfo", auth_info(c), "");
  p.text("PrivateData", private_data(c), "");
  p.text("MailProg", c.mail_program, d.mail_program);
  p.text("TmpFS", c.temp_dir, d.temp_dir);
  p.number("FirstJobId", c.first_job_id, d.first_job_id);
  p.number("MaxJobId", c.max_job_id, d.max_job_id);
  p.number("MaxJobCount", c.max_job_count, d.max_job_count);
  p.number("MaxArraySize", c.max_array_size, d.max_array_size);
  p.number("MaxTasksPerNode", c.max_tasks_per_node, d.max_tasks_per_node);
  p.seconds("MinJobAge", c.min_job_age, d.min_job_age);
  p.seconds("KillWait", c.kill_wait, d.kill_wait);
  p.seconds("SlurmdTimeout", c.slurmd_timeout, d.slurmd_timeout);
  p.seconds("SlurmctldTimeout", c.controller_timeout, d.controller_timeout);
  p.seconds("InactiveLimit", c.inactive_limit, d.inactive_limit);
  auto over = static_cast<std::uint64_t>(c.over_time_limit.count()) / 60000;
  p.text("OverTimeLimit", over >= kConfigUnlimited ? "UNLIMITED" : fmt::format("{}", over), "0");
  p.seconds("BatchStartTimeout", c.batch_start_timeout, d.batch_start_timeout);
  p.seconds("MessageTimeout", c.message_timeout, d.message_timeout);
  p.number("ReturnToService", c.return_to_service, d.return_to_service);
  p.number("JobRequeue", c.requeue_by_default ? 1 : 0, 1);
  p.text("EnforcePartLimits",
         c.any_partition_suffices     ? "ANY"
         : c.enforce_partition_limits ? "ALL"
                                      : "NO",
         "NO");
  p.text("DependencyParameters", c.kill_on_invalid_dependency ? "kill_invalid_depend" : "", "");
  p.text("SlurmdParameters", c.config_overrides ? "config_overrides" : "", "");
  p.number("DefMemPerCPU", c.default_memory_per_cpu_mb, 0);
  p.number("DefMemPerNode", c.default_memory_per_node_mb, 0);
  p.number("DefCpuPerGPU", c.default_cpus_per_gpu, 0);
  p.number("DefMemPerGPU", c.default_memory_per_gpu_mb, 0);
  p.text("GresTypes", c.gres_types, "");
  print_preemption(c.preempt, p);
  p.text("SelectType", c.whole_nodes ? "select/linear" : "select/cons_tres", "");
  std::string parameters = c.whole_nodes                   ? "CR"
                           : c.cpu_unit == CpuUnit::Cpu    ? "CR_CPU"
                           : c.cpu_unit == CpuUnit::Socket ? "CR_SOCKET"
                                                           : "CR_CORE";
  if (c.memory_is_consumable)
    parameters += "_MEMORY";
  else if (c.whole_nodes)
    parameters = "NONE";
  if (c.gres_enforce_binding) parameters += ",ENFORCE_BINDING_GRES";
  if (c.gres_many_per_shared) parameters += ",MULTIPLE_SHARING_GRES_PJ";
  if (c.gres_one_task_per_shared) parameters += ",ONE_TASK_PER_SHARING_GRES";
  p.text("SelectTypeParameters", parameters, "");
  return p.out_;
}

// Alike in all but what goes in step with the name.
bool same_line(const NodeSpec& a, const NodeSpec& b) {
  NodeSpec other = b;
  other.name = a.name;
  other.hostname = a.hostname;
  other.address = a.address;
  other.port = a.port;
  return a == other;
}

using NodeIterator = std::vector<NodeSpec>::const_iterator;

// The values of one member in step with the names; the single one if they are all equal; nothing if
// a list of them could not be read back.
template <class Member>
std::string in_step(NodeIterator begin, NodeIterator end, Member member) {
  bool equal = std::all_of(begin, end,
                           [&](const NodeSpec& node) { return (*begin).*member == node.*member; });
  if (equal) return (*begin).*member;
  std::vector<std::string> values;
  for (auto it = begin; it != end; ++it) {
    if (!Hostlist::valid_name((*it).*member)) return "";
    values.push_back((*it).*member);
  }
  return Hostlist::of(values).str();
}

std::string ports_text(NodeIterator begin, NodeIterator end) {
  std::string out;
  for (auto it = begin; it != end;) {
    auto last = it;
    while (last + 1 != end && (last + 1)->port == last->port + 1) ++last;
    out += out.empty() ? "" : ",";
    out += it == last ? fmt::format("{}", it->port) : fmt::format("{}-{}", it->port, last->port);
    it = last + 1;
  }
  return fmt::format("[{}]", out);
}

void print_nodes(NodeIterator begin, NodeIterator end, std::uint16_t node_port, std::string& out) {
  const NodeSpec d;
  Line line("NodeName", in_step(begin, end, &NodeSpec::name));
  std::string hostnames = in_step(begin, end, &NodeSpec::hostname),
              addresses = in_step(begin, end, &NodeSpec::address);
  bool named =
      std::all_of(begin, end, [](const NodeSpec& node) { return node.hostname == node.name; });
  bool placed =
      std::all_of(begin, end, [](const NodeSpec& node) { return node.address == node.hostname; });
  bool usual_port =
      std::all_of(begin, end, [&](const NodeSpec& node) { return node.port == node_port; });
  bool one_port =
      std::all_of(begin, end, [&](const NodeSpec& node) { return node.port == begin->port; });
  if (!named) line.put("NodeHostname", hostnames);
  if (!placed) line.put("NodeAddr", addresses);
  if (!usual_port)
    line.put("Port", one_port ? fmt::format("{}", begin->port) : ports_text(begin, end));
  const NodeSpec& n = *begin;
  line.number("CPUs", n.cpus, 0);
  line.number("Boards", n.boards, d.boards);
  line.number("Sockets", n.sockets, 0);
  line.number("CoresPerSocket", n.cores_per_socket, d.cores_per_socket);
  line.number("ThreadsPerCore", n.threads_per_core, d.threads_per_core);
  line.number("RealMemory", n.memory_mb, d.memory_mb);
  line.number("TmpDisk", n.tmp_mb, d.tmp_mb);
  line.number("Weight", n.weight, d.weight);
  line.text("Features", n.features);
  line.text("Gres", n.gres);
  line.text("CpuSpecList", n.cpu_spec_list);
  line.number("CoreSpecCount", n.core_spec_count, 0);
  line.number("MemSpecLimit", n.mem_spec_limit_mb, 0);
  if (n.suspend_time_s == kConfigUnlimited)
    line.put("SuspendTime", "UNLIMITED");
  else
    line.number("SuspendTime", n.suspend_time_s, NodeSpec::kUsual);
  line.text("State", n.state.empty() ? "UNKNOWN" : n.state, "UNKNOWN");
  line.text("Reason", n.reason);
  bool readable = (named || !hostnames.empty()) && (placed || !addresses.empty());
  if (end - begin > 1 && (!readable || line.str().size() > kPrintedLineMax)) {
    NodeIterator middle = begin + (end - begin) / 2;
    print_nodes(begin, middle, node_port, out);
    print_nodes(middle, end, node_port, out);
    return;
  }
  out += line.str() + "\n";
}

std::string print_partition(const PartitionSpec& p, const std::string& preempt_mode) {
  const PartitionSpec d;
  Line line("PartitionName", p.name);
  line.text("Nodes", p.nodes);
  line.yes("Default", p.is_default);
  line.text("State", name_of(p.state), "UP");
  line.time("MaxTime", p.max_time_s, d.max_time_s);
  line.time("DefaultTime", p.default_time_s, d.default_time_s);
  line.number("MinNodes", p.min_nodes, d.min_nodes);
  line.limit("MaxNodes", p.max_nodes);
  line.limit("MaxCPUsPerNode", p.max_cpus_per_node);
  line.limit("MaxCPUsPerSocket", p.max_cpus_per_socket);
  line.number("PriorityTier", p.priority_tier, d.priority_tier);
  line.number("PriorityJobFactor", p.priority_job_factor, d.priority_job_factor);
  line.text("Topology", p.topology, d.topology);
  line.yes("Hidden", p.hidden);
  line.yes("RootOnly", p.root_only);
  line.yes("DisableRootJobs", p.disable_root);
  line.text("OverSubscribe", p.oversubscribe, d.oversubscribe);
  line.yes("ExclusiveUser", p.exclusive_user);
  line.yes("ExclusiveTopo", p.exclusive_topo);
  line.yes("LLN", p.lln);
  line.yes("ReqResv", p.req_resv);
  line.text("PreemptMode", p.preempt_mode, preempt_mode);
  if (p.over_time_limit_min == kConfigUnlimited)
    line.put("OverTimeLimit", "UNLIMITED");
  else
    line.number("OverTimeLimit", p.over_time_limit_min, d.over_time_limit_min);
  line.yes("PowerDownOnIdle", p.power_down_on_idle);
  for (auto [key, value] : {std::pair("SuspendTime", p.suspend_time_s),
                            std::pair("SuspendTimeout", p.suspend_timeout_s),
                            std::pair("ResumeTimeout", p.resume_timeout_s)}) {
    if (value == kConfigUnlimited)
      line.put(key, "UNLIMITED");
    else
      line.number(key, value, PartitionSpec::kOfCluster);
  }
  line.number("GraceTime", p.grace_time_s, d.grace_time_s);
  line.number("DefMemPerCPU", p.default_memory_per_cpu_mb, 0);
  line.number("DefMemPerNode", p.default_memory_per_node_mb, 0);
  line.number("DefCpuPerGPU", p.default_cpus_per_gpu, 0);
  line.number("DefMemPerGPU", p.default_memory_per_gpu_mb, 0);
  line.number("MaxMemPerCPU", p.max_memory_per_cpu_mb, 0);
  line.number("MaxMemPerNode", p.max_memory_per_node_mb, 0);
  line.text("AllowGroups", p.allow_groups);
  line.text("AllowAccounts", p.allow_accounts);
  line.text("DenyAccounts", p.deny_accounts);
  line.text("AllowQos", p.allow_qos);
  line.text("DenyQos", p.deny_qos);
  line.text("QOS", p.qos);
  line.text("Alternate", p.alternate);
  line.text("AllocNodes", p.alloc_nodes, d.alloc_nodes);
  line.text("TRESBillingWeights", p.tres_billing_weights);
  return line.str() + "\n";
}

}  // namespace

std::string print_config(const ClusterConfig& config) {
  std::string out = print_main(config);
  for (auto begin = config.nodes.begin(); begin != config.nodes.end();) {
    auto end = std::find_if(begin, config.nodes.end(),
                            [&](const NodeSpec& node) { return !same_line(*begin, node); });
    print_nodes(begin, end, config.node_port, out);
    begin = end;
  }
  for (const ClusterConfig::DownNodes& down : config.down_nodes) {
    Line line("DownNodes", down.nodes);
    line.put("State", down.state);
    line.text("Reason", down.reason);
    out += line.str() + "\n";
  }
  for (const PartitionSpec& partition : config.partitions)
    out += print_partition(partition, config.preempt.mode_text);
  return out;
}

}  // namespace ym
