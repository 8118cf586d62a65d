// SPDX-License-Identifier: Apache-2.0
#include "config/main_keys.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "config/preempt.h"
#include "config/rare_keys.h"
#include "notation/cpu_freq.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::uint32_t u32(const Value& value) { return static_cast<std::uint32_t>(value.number); }
Duration in_seconds(const Value& value) { return seconds(value.number); }

bool has_word(std::string_view list, std::string_view word) {
  for (std::string_view part : split_words(list, ','))
    if (same_ignoring_case(part, word)) return true;
  return false;
}

std::string option_value(std::string_view list, std::string_view name) {
  for (std::string_view part : split_words(list, ','))
    if (part.size() > name.size() && part[name.size()] == '=' &&
        starts_with_ignoring_case(part, name))
      return std::string(part.substr(name.size() + 1));
  return "";
}

// 65534 is how Slurm writes "none".
Duration program_timeout(const Value& value) {
  return value.number >= 65534 ? Duration(0) : in_seconds(value);
}

// "30" or "task=30,network=60": ours is the tasks'.
void set_frequency(MainConfig& config, std::string_view text) {
  std::string task = option_value(text, "task");
  auto number = parse_unsigned<std::uint32_t>(task.empty() ? text : std::string_view(task));
  if (number) config.acct_frequency_s = *number;
}

void set_prolog_flags(PrologFlags& flags, std::string_view text) {
  flags.defer_batch = has_word(text, "DeferBatch");
  flags.no_hold = has_word(text, "NoHold");
  flags.force_requeue_on_fail = has_word(text, "ForceRequeueOnFail");
  flags.run_in_job = has_word(text, "RunInJob");
  flags.serial = has_word(text, "Serial");
  flags.report = has_word(text, "Report");
  flags.x11 = has_word(text, "X11");
  // Each of these includes the ones before it.
  flags.contain = has_word(text, "Contain") || flags.run_in_job || flags.x11;
  flags.alloc = has_word(text, "Alloc") || flags.contain || flags.defer_batch || flags.no_hold ||
                flags.serial;
}

void set_srun_ports(MainConfig& config, std::string_view text) {
  auto dash = text.find('-');
  auto first = parse_unsigned<std::uint16_t>(text.substr(0, dash));
  auto last =
      dash == std::string_view::npos ? first : parse_unsigned<std::uint16_t>(text.substr(dash + 1));
  if (!first || !last || *first > *last) return;
  config.srun_port_first = *first;
  config.srun_port_last = *last;
}

struct Setter {
  std::string_view key;
  void (*set)(MainConfig& config, const Value& value);
};

constexpr Setter kSetters[] = {
    {"AuthInfo", [](auto& c, const auto& v) { c.key_file = option_value(v.text, "key_file"); }},
    {"BatchStartTimeout", [](auto& c, const auto& v) { c.batch_start_timeout = in_seconds(v); }},
    {"BcastExclude", [](auto& c, const auto& v) { c.bcast_exclude = v.text; }},
    {"BcastParameters", [](auto& c, const auto& v) { c.bcast_parameters = v.text; }},
    {"ClusterName", [](auto& c, const auto& v) { c.cluster_name = to_lower(v.text); }},
    {"DefCpuPerGPU", [](auto& c, const auto& v) { c.default_cpus_per_gpu = u32(v); }},
    {"DefMemPerGPU", [](auto& c, const auto& v) { c.default_memory_per_gpu_mb = v.number; }},
    {"DependencyParameters",
     [](auto& c, const auto& v) {
       c.kill_on_invalid_dependency = has_word(v.text, "kill_invalid_depend");
     }},
    {"EioTimeout", [](auto& c, const auto& v) { c.stream_timeout = in_seconds(v); }},
    {"EnforcePartLimits",
     [](auto& c, const auto& v) {
       c.enforce_partition_limits = !same_ignoring_case(v.text, "NO");
       c.any_partition_suffices = same_ignoring_case(v.text, "ANY");
     }},
    {"Epilog", [](auto& c, const auto& v) { c.epilog = v.text; }},
    {"EpilogSlurmctld", [](auto& c, const auto& v) { c.controller_epilog = v.text; }},
    {"EpilogTimeout", [](auto& c, const auto& v) { c.epilog_timeout = program_timeout(v); }},
    {"FirstJobId", [](auto& c, const auto& v) { c.first_job_id = u32(v); }},
    {"GresTypes", [](auto& c, const auto& v) { c.gres_types = v.text; }},
    {"HealthCheckInterval", [](auto& c, const auto& v) { c.health_interval = in_seconds(v); }},
    {"HealthCheckNodeState", [](auto& c, const auto& v) { c.health_states = v.text; }},
    {"CpuFreqDef", [](auto& c, const auto& v) { c.cpu_freq_default = governor_named(v.text); }},
    // Slurm's default is what GPUs do when nobody touches them.
    {"GpuFreqDef",
     [](auto& c, const auto& v) {
       if (v.text != "high,memory=high") c.gpu_freq_default = v.text;
     }},
    {"CpuFreqGovernors", [](auto& c, const auto& v) { c.cpu_freq_governors = v.text; }},
    {"HealthCheckProgram", [](auto& c, const auto& v) { c.health_program = v.text; }},
    {"HealthCheckTimeout", [](auto& c, const auto& v) { c.health_timeout = in_seconds(v); }},
    {"InactiveLimit", [](auto& c, const auto& v) { c.inactive_limit = in_seconds(v); }},
    {"JobAcctGatherFrequency", [](auto& c, const auto& v) { set_frequency(c, v.text); }},
    {"JobAcctGatherParams", [](auto& c, const auto& v) { c.acct_params = v.text; }},
    {"JobFileAppend", [](auto& c, const auto& v) { c.job_file_append = u32(v); }},
    {"JobRequeue", [](auto& c, const auto& v) { c.requeue_by_default = v.number != 0; }},
    {"KillOnBadExit", [](auto& c, const auto& v) { c.kill_on_bad_exit = v.number != 0; }},
    {"KillWait", [](auto& c, const auto& v) { c.kill_wait = in_seconds(v); }},
    {"LaunchParameters", [](auto& c, const auto& v) { c.launch_parameters = v.text; }},
    {"Licenses", [](auto& c, const auto& v) { c.licenses = v.text; }},
    {"MailProg", [](auto& c, const auto& v) { c.mail_program = v.text; }},
    {"MaxArraySize", [](auto& c, const auto& v) { c.max_array_size = u32(v); }},
    {"MaxJobCount", [](auto& c, const auto& v) { c.max_job_count = u32(v); }},
    {"MaxJobId", [](auto& c, const auto& v) { c.max_job_id = u32(v); }},
    {"MaxTasksPerNode", [](auto& c, const auto& v) { c.max_tasks_per_node = u32(v); }},
    {"MessageTimeout", [](auto& c, const auto& v) { c.message_timeout = in_seconds(v); }},
    {"MCSParameters", [](auto& c, const auto& v) { set_mcs_parameters(c.mcs, v.text); }},
    {"MCSPlugin", [](auto& c, const auto& v) { set_mcs_plugin(c.mcs, v.text); }},
    {"MinJobAge", [](auto& c, const auto& v) { c.min_job_age = in_seconds(v); }},
    {"MpiDefault", [](auto& c, const auto& v) { c.mpi_default = v.text; }},
    {"MpiParams", [](auto& c, const auto& v) { set_mpi_ports(c, v.text); }},
    // Without a limit: more minutes than any job lives.
    {"OverTimeLimit", [](auto& c, const auto& v) { c.over_time_limit = minutes(v.number); }},
    {"PrivateData",
     [](auto& c, const auto& v) { c.power.hide_cloud = !has_word(v.text, "cloud"); }},
    {"ProctrackType", [](auto& c, const auto& v) { c.proctrack_type = v.text; }},
    {"Prolog", [](auto& c, const auto& v) { c.prolog = v.text; }},
    {"PrologFlags", [](auto& c, const auto& v) { set_prolog_flags(c.prolog_flags, v.text); }},
    {"PrologSlurmctld", [](auto& c, const auto& v) { c.controller_prolog = v.text; }},
    {"PrologTimeout", [](auto& c, const auto& v) { c.prolog_timeout = program_timeout(v); }},
    {"PropagatePrioProcess", [](auto& c, const auto& v) { c.propagate_priority = u32(v); }},
    {"PropagateResourceLimits", [](auto& c, const auto& v) { c.propagate_limits = v.text; }},
    {"PropagateResourceLimitsExcept",
     [](auto& c, const auto& v) { c.propagate_limits_except = v.text; }},
    {"ResvOverRun", [](auto& c, const auto& v) { c.reservation_overrun = minutes(v.number); }},
    {"RebootProgram", [](auto& c, const auto& v) { c.reboot_program = v.text; }},
    {"ResumeFailProgram", [](auto& c, const auto& v) { c.power.resume_fail_program = v.text; }},
    {"ResumeProgram", [](auto& c, const auto& v) { c.power.resume_program = v.text; }},
    {"ResumeRate", [](auto& c, const auto& v) { c.power.resume_rate = u32(v); }},
    {"ResumeTimeout", [](auto& c, const auto& v) { c.resume_timeout = in_seconds(v); }},
    {"ReturnToService", [](auto& c, const auto& v) { c.return_to_service = u32(v); }},
    {"SelectType", [](auto& c, const auto& v) { c.whole_nodes = v.text == "select/linear"; }},
    {"SelectTypeParameters",
     [](auto& c, const auto& v) {
       c.memory_is_consumable = v.text.find("MEMORY") != std::string::npos;
       c.cpu_unit = has_word(v.text, "CR_CPU") || has_word(v.text, "CR_CPU_MEMORY") ? CpuUnit::Cpu
                    : has_word(v.text, "CR_SOCKET") || has_word(v.text, "CR_SOCKET_MEMORY")
                        ? CpuUnit::Socket
                        : CpuUnit::Core;
       c.gres_enforce_binding = has_word(v.text, "ENFORCE_BINDING_GRES");
       c.gres_many_per_shared = has_word(v.text, "MULTIPLE_SHARING_GRES_PJ");
       c.gres_one_task_per_shared = has_word(v.text, "ONE_TASK_PER_SHARING_GRES");
     }},
    {"SlurmctldDebug", [](auto& c, const auto& v) { c.controller_debug = v.text; }},
    {"SlurmctldLogFile", [](auto& c, const auto& v) { c.controller_log = v.text; }},
    {"SlurmctldPidFile", [](auto& c, const auto& v) { c.controller_pid_file = v.text; }},
    {"SlurmctldPort",
     [](auto& c, const auto& v) { c.controller_port = static_cast<std::uint16_t>(v.number); }},
    {"SlurmctldTimeout", [](auto& c, const auto& v) { c.controller_timeout = in_seconds(v); }},
    {"SlurmdDebug", [](auto& c, const auto& v) { c.node_debug = v.text; }},
    {"SlurmdLogFile", [](auto& c, const auto& v) { c.node_log = v.text; }},
    {"SlurmdParameters",
     [](auto& c, const auto& v) {
       c.config_overrides = has_word(v.text, "config_overrides");
       if (std::string root = option_value(v.text, "sysfs"); !root.empty()) c.sysfs = root;
       if (std::string smi = option_value(v.text, "nvidia_smi"); !smi.empty()) c.nvidia_smi = smi;
     }},
    {"SlurmdPidFile", [](auto& c, const auto& v) { c.node_pid_file = v.text; }},
    {"SlurmdPort",
     [](auto& c, const auto& v) { c.node_port = static_cast<std::uint16_t>(v.number); }},
    {"SlurmdSpoolDir", [](auto& c, const auto& v) { c.spool_dir = v.text; }},
    {"SlurmdTimeout", [](auto& c, const auto& v) { c.slurmd_timeout = in_seconds(v); }},
    {"SlurmdUser", [](auto& c, const auto& v) { c.node_user = v.text; }},
    {"SlurmUser", [](auto& c, const auto& v) { c.slurm_user = v.text; }},
    {"SrunEpilog", [](auto& c, const auto& v) { c.srun_epilog = v.text; }},
    {"SrunPortRange", [](auto& c, const auto& v) { set_srun_ports(c, v.text); }},
    {"SrunProlog", [](auto& c, const auto& v) { c.srun_prolog = v.text; }},
    {"StateSaveLocation", [](auto& c, const auto& v) { c.state_dir = v.text; }},
    {"SuspendExcNodes", [](auto& c, const auto& v) { c.power.except_nodes = v.text; }},
    {"SuspendExcParts", [](auto& c, const auto& v) { c.power.except_partitions = v.text; }},
    {"SuspendExcStates", [](auto& c, const auto& v) { c.power.except_states = v.text; }},
    {"SuspendProgram", [](auto& c, const auto& v) { c.power.suspend_program = v.text; }},
    {"SuspendRate", [](auto& c, const auto& v) { c.power.suspend_rate = u32(v); }},
    {"SuspendTime",
     [](auto& c,
        const auto& v) { c.power.suspend_time = v.unlimited ? Duration(-1) : in_seconds(v); }},
    {"SuspendTimeout", [](auto& c, const auto& v) { c.power.suspend_timeout = in_seconds(v); }},
    {"TaskEpilog", [](auto& c, const auto& v) { c.task_epilog = v.text; }},
    {"TaskPlugin", [](auto& c, const auto& v) { c.task_plugin = v.text; }},
    {"TaskPluginParam", [](auto& c, const auto& v) { c.task_plugin_params = v.text; }},
    {"TaskProlog", [](auto& c, const auto& v) { c.task_prolog = v.text; }},
    {"TmpFS", [](auto& c, const auto& v) { c.temp_dir = v.text; }},
    {"SchedulerParameters", [](auto& c, const auto& v) { c.scheduler_parameters = v.text; }},
    {"TopologyParam", [](auto& c, const auto& v) { c.topology_param = v.text; }},
    {"TopologyPlugin", [](auto& c, const auto& v) { c.topology_plugin = to_lower(v.text); }},
    {"TreeWidth", [](auto& c, const auto& v) { c.tree_width = u32(v); }},
    {"UnkillableStepProgram", [](auto& c, const auto& v) { c.unkillable_program = v.text; }},
    {"UnkillableStepTimeout", [](auto& c, const auto& v) { c.unkillable_timeout = in_seconds(v); }},
    {"WaitTime", [](auto& c, const auto& v) { c.srun_wait = in_seconds(v); }},
};

// Of these keys we act on some words only.
struct Words {
  std::string_view key, acted_on;
};
constexpr Words kWords[] = {
    {"AuthInfo", "key_file,jwks_file,clock_skew,socket"},
    {"AuthType", "auth/slurm,auth/munge"},
    {"DependencyParameters", "kill_invalid_depend"},
    {"PriorityFlags",
     "ACCRUE_ALWAYS,CALCULATE_RUNNING,MAX_TRES,SMALL_RELATIVE_TO_TIME,NO_NORMAL_ALL,NO_NORMAL_PART,"
     "NO_NORMAL_QOS,NO_NORMAL_ASSOC,NO_NORMAL_TRES"},
    // What the others would hide (accounts, events, usage, users) is of an accounting that there is
    // not.
    {"PrivateData", "all,cloud,jobs,nodes,none,partitions,reservations"},
    {"SelectTypeParameters",
     "CR_CPU,CR_CPU_MEMORY,CR_CORE,CR_CORE_MEMORY,CR_SOCKET,CR_SOCKET_MEMORY,CR_MEMORY,NONE,"
     "ENFORCE_BINDING_GRES,MULTIPLE_SHARING_GRES_PJ,ONE_TASK_PER_SHARING_GRES"},
    {"SlurmctldParameters",
     "enable_configless,enable_expedited_requeue,etcd_ca_file,etcd_cert_file,etcd_cert_key_file,"
     "lease_time,preempt_send_user_signal,rl_bucket_size,rl_enable,rl_log_freq,"
     "rl_refill_period,rl_refill_rate,rl_table_size"},
    {"SlurmdParameters", "config_overrides,nvidia_smi,sysfs"},
    {"MpiParams", "ports"},
};

void note_unused_words(std::string_view key, std::string_view value, Place place,
                       Findings& findings) {
  for (const Words& words : kWords) {
    if (words.key != key) continue;
    for (std::string_view part : split_words(value, ','))
      if (std::string_view word = part.substr(0, part.find('=')); !has_word(words.acted_on, word))
        findings.note_unused(KeyScope::Main, fmt::format("{}={}", key, word), part, place);
  }
}

}  // namespace

void MainKeys::add(const Assignment& assignment, Place place) {
  CheckedValue checked = check_assignment(KeyScope::Main, assignment, place, findings_);
  if (!checked.key) return;
  std::string_view name = checked.key->name;
  if (name == "SlurmctldHost") return add_controller(checked.value.text, place);
  if (auto before = places_.find(name); before != places_.end())
    findings_.diagnostics.warn(
        place, fmt::format("{} was given at {} already, the last value is used", name,
                           findings_.diagnostics.name(before->second)));
  if (name == "SlurmctldPort" && checked.value.text.find('-') != std::string::npos)
    findings_.diagnostics.warn(
        place, fmt::format("SlurmctldPort={}: one port is enough, {} is used", checked.value.text,
                           checked.value.number));
  if (checked.key->note == "SlurmctldHost")
    findings_.diagnostics.warn(place, fmt::format("{} is obsolete, use SlurmctldHost", name));
  if (checked.key->status == KeyStatus::ActedOn && checked.key->type == KeyType::Path &&
      checked.value.text.empty())
    findings_.diagnostics.error(place, fmt::format("{} is empty", name));
  note_unused_words(name, checked.value.text, place, findings_);
  places_.insert_or_assign(std::string(name), place);
  fields_.set(*checked.key, std::move(checked.value));
}

void MainKeys::add_controller(std::string_view text, Place place) {
  ControllerHost host{.name = std::string(text), .address = std::string(text)};
  if (std::size_t open = text.find('('); open != std::string_view::npos && text.ends_with(')')) {
    host.name = text.substr(0, open);
    host.address = text.substr(open + 1, text.size() - open - 2);
  }
  if (!Hostlist::valid_name(host.name) || host.address.empty() ||
      host.address.find_first_of("() \t\"") != std::string::npos)
    return findings_.diagnostics.error(
        place,
        fmt::format("SlurmctldHost: '{}' is not a host or host(address)", printable(text, 64)));
  for (const ControllerHost& other : controllers_)
    if (other.name == host.name)
      return findings_.diagnostics.error(place,
                                         fmt::format("SlurmctldHost={} is given twice", host.name));
  if (controllers_.size() >= kControllersMax)
    return findings_.diagnostics.error(place,
                                       fmt::format("more than {} controllers", kControllersMax));
  controllers_.push_back(std::move(host));
}

void MainKeys::set_controllers(MainConfig& config) {
  if (controllers_.empty()) {
    using Pair = std::pair<std::string_view, std::string_view>;
    for (auto [machine, address] :
         {Pair{"ControlMachine", "ControlAddr"}, Pair{"BackupController", "BackupAddr"}}) {
      const Value* name = fields_.find(machine);
      if (!name) continue;
      std::string where = fields_.text(address, name->text);
      add_controller(where == name->text ? name->text : fmt::format("{}({})", name->text, where),
                     places_.find(machine)->second);
    }
  }
  if (controllers_.empty() && !findings_.diagnostics.failed())
    findings_.diagnostics.error(Place{},
                                "SlurmctldHost is missing: name the machine that runs slurmctld");
  config.controllers = controllers_;
}

void MainKeys::set_memory(MainConfig& config) {
  // 0 and UNLIMITED both mean the whole node.
  if (const Value* cpu = fields_.find("DefMemPerCPU"))
    config.default_memory_per_cpu_mb = cpu->number;
  const Value* node = fields_.find("DefMemPerNode");
  if (node && !node->unlimited) config.default_memory_per_node_mb = node->number;
  if (config.default_memory_per_cpu_mb && config.default_memory_per_node_mb) {
    findings_.diagnostics.warn(
        places_.find("DefMemPerNode")->second,
        "DefMemPerCPU and DefMemPerNode exclude each other, DefMemPerCPU is used");
    config.default_memory_per_node_mb = 0;
  }
  config.default_memory_per_cpu = config.default_memory_per_cpu_mb != 0;
}

void MainKeys::check_relations(const MainConfig& config) {
  if (config.first_job_id > config.max_job_id)
    findings_.diagnostics.error(Place{}, fmt::format("FirstJobId={} is more than MaxJobId={}",
                                                     config.first_job_id, config.max_job_id));
  if (config.prolog_flags.no_hold && config.prolog_flags.contain)
    findings_.diagnostics.error(
        places_.find("PrologFlags")->second,
        "PrologFlags invalid combination: NoHold cannot be combined with Contain and/or X11");
  auto cluster = places_.find("ClusterName");
  if (cluster == places_.end()) {
    findings_.diagnostics.error(Place{}, "ClusterName is missing");
  } else if (!Hostlist::valid_name(config.cluster_name)) {
    findings_.diagnostics.error(
        cluster->second, fmt::format("ClusterName: '{}' is not made of letters, digits, - and _",
                                     printable(config.cluster_name, 64)));
  }
}

namespace {

std::string shown_in(const MainConfig& config, const KeyInfo& key, const Value& value) {
  if (key.name == "ClusterName") return config.cluster_name;
  return key.name == "PreemptMode" ? config.preempt.mode_text : shown_value(key, value);
}

}  // namespace

void MainKeys::finish(const std::string& path, Shown shown, MainConfig& config) {
  // Without SelectTypeParameters it is CR_CORE_MEMORY, which whole nodes know nothing of.
  config.memory_is_consumable = fields_.text("SelectType") != "select/linear";
  for (const Setter& setter : kSetters)
    if (const Value* value = fields_.find(setter.key)) setter.set(config, *value);
  set_controllers(config);
  set_memory(config);
  set_priority(config);
  set_preemption(fields_, findings_, config);
  check_relations(config);
  if (shown == Shown::All) return show_all(path, config);
  fields_.for_each([&](const KeyInfo& key, const Value& value) {
    config.shown.emplace_back(key.name, shown_in(config, key, value));
  });
}

// It does not sort (show_order.h does).
void MainKeys::show_all(const std::string& path, MainConfig& config) const {
  config.shown.reserve(256);
  auto add = [&](std::string_view name, std::string value) {
    config.shown.emplace_back(name, std::move(value));
  };
  for_each_key(KeyScope::Main, [&](const KeyInfo& key) {
    bool former = key.status == KeyStatus::Obsolete || key.status == KeyStatus::Refused ||
                  key.note == "SlurmctldHost";
    if (former || key.name.ends_with("Pass")) return;
    const Value* value = fields_.find(key);
    if (key.name.ends_with("MemPerNode") && !value &&
        fields_.has(fmt::format("{}MemPerCPU", key.name.substr(0, 3))))
      return;
    if (key.name == "PreemptMode")
      add(key.name, config.preempt.mode_text);
    else if (value)
      add(key.name, shown_in(config, key, *value));
    else if (!key.shown_default.empty())
      add(key.name, std::string(key.shown_default));
  });
  for (std::size_t i = 0; i < config.controllers.size(); ++i) {
    const ControllerHost& host = config.controllers[i];
    add(fmt::format("SlurmctldHost[{}]", i),
        host.name == host.address ? host.name : fmt::format("{}({})", host.name, host.address));
  }
  add("SLURM_CONF", path);
  add("SLURM_VERSION", YM_SLURM_VERSION);
}

}  // namespace ym
