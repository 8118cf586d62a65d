// SPDX-License-Identifier: Apache-2.0
// A cluster's configuration as a value: what slurm.conf says, resolved. The config room makes it
// from text.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ref.h"
#include "base/time.h"
#include "model/gres.h"
#include "model/ids.h"
#include "model/node.h"
#include "model/partition.h"
#include "model/preempt.h"
#include "model/priority.h"
#include "model/topology.h"

namespace ym {

struct ControllerHost {
  std::string name, address;
  bool operator==(const ControllerHost&) const = default;
};

// cgroup.conf
struct CgroupConfig {
  std::string plugin = "autodetect";  // or cgroup/v1, cgroup/v2, disabled
  std::string mount_point = "/sys/fs/cgroup";
  bool constrain_cores = true, constrain_memory = true, constrain_swap = false,
       constrain_devices = false;
  std::uint32_t allowed_memory_percent = 100, allowed_swap_percent = 0;
  std::uint64_t min_memory_mb = 30;
  bool operator==(const CgroupConfig&) const = default;
};

// oci.conf: how containers are run. Patterns and regular expressions as they stand there.
enum class EnvironmentFile : std::uint8_t { None = 0, Null = 1, Newline = 2 };
struct OciConfig {
  bool configured = false;  // there is such a file
  std::string container_path, mount_spool_dir = "/var/run/slurm/";
  std::string create, start, run, kill, remove, query;  // RunTimeCreate …; empty: not done
  std::string env_exclude, runtime_env_exclude;
  EnvironmentFile environment_file = EnvironmentFile::None;
  std::vector<std::string> disabled_hooks;
  bool keep_files = false;       // DisableCleanup
  bool ignore_config = false;    // IgnoreFileConfigJson
  bool tell_operations = false;  // StdIODebug is high enough: what is run is said on stderr
  bool operator==(const OciConfig&) const = default;
};

// PrologFlags
struct PrologFlags {
  bool alloc = false, contain = false, defer_batch = false, no_hold = false,
       force_requeue_on_fail = false, run_in_job = false, serial = false, x11 = false,
       report = false;
  bool operator==(const PrologFlags&) const = default;
};

// Power saving: Suspend* and Resume* but ResumeTimeout.
struct PowerConfig {
  std::string suspend_program, resume_program, resume_fail_program;
  Duration suspend_time{-1};  // less than 0: never
  Duration suspend_timeout = std::chrono::seconds(30);
  std::uint32_t suspend_rate = 60, resume_rate = 300;  // nodes a minute; 0: no limit
  std::string except_nodes, except_partitions, except_states;
  bool hide_cloud = true;  // PrivateData without `cloud`: nodes of it that are off are not shown
  bool operator==(const PowerConfig&) const = default;
};

// MCSPlugin and MCSParameters: jobs have labels, and nodes are shared by jobs of one label.
enum class McsKind : std::uint8_t { None, User, Group, Account, Label };
enum class McsSelect : std::uint8_t { OnDemand, Always, Never };  // whether labels keep jobs apart
struct McsRules {
  McsKind kind = McsKind::None;
  McsSelect select = McsSelect::OnDemand;
  bool enforced = false;            // every job has a label, not only those that ask for one
  bool private_data = false;        // who has no right to a label does not see its jobs
  std::vector<std::string> groups;  // of mcs/group: which may be labels
  bool operator==(const McsRules&) const = default;
};

// The keys of slurm.conf that stand alone. It is all that most commands look at, which do not pay
// for reading of thousands of nodes.
struct MainConfig {
  std::string cluster_name = "cluster";
  std::vector<ControllerHost> controllers;
  std::uint16_t controller_port = 6817, node_port = 6818;
  std::string slurm_user = "root", node_user = "root";
  std::string state_dir = "/var/spool/slurmctld", spool_dir = "/var/spool/slurmd";
  std::string controller_pid_file = "/var/run/slurmctld.pid", node_pid_file = "/var/run/slurmd.pid";
  std::string controller_log, node_log;  // empty: syslog or stderr
  std::string controller_debug = "info", node_debug = "info";
  std::string key_file;  // auth/slurm's key; empty: beside slurm.conf
  std::string mail_program, temp_dir = "/tmp";

  std::uint32_t first_job_id = 1, max_job_id = 67043328;
  std::uint32_t max_job_count = 10000000;  // Slurm's default of 10,000 is a limit of its own design
  std::uint32_t max_array_size = 1001;
  std::uint32_t max_tasks_per_node = 512;
  Duration min_job_age = std::chrono::seconds(300);
  Duration kill_wait = std::chrono::seconds(30);
  Duration slurmd_timeout = std::chrono::seconds(300);
  Duration controller_timeout = std::chrono::seconds(120);
  Duration inactive_limit = std::chrono::seconds(0);
  Duration over_time_limit = std::chrono::seconds(0);
  Duration batch_start_timeout = std::chrono::seconds(10);
  Duration message_timeout = std::chrono::seconds(10);
  std::uint32_t return_to_service = 0;
  bool requeue_by_default = true;
  bool enforce_partition_limits = false;
  bool kill_on_invalid_dependency = false;  // DependencyParameters=kill_invalid_depend
  bool config_overrides = false;            // SlurmdParameters=config_overrides
  bool default_memory_per_cpu = false;
  std::uint64_t default_memory_per_node_mb = 0, default_memory_per_cpu_mb = 0;
  bool memory_is_consumable = false;  // SelectTypeParameters=CR_*_Memory
  bool whole_nodes = false;           // SelectType=select/linear
  CpuUnit cpu_unit = CpuUnit::Core;   // SelectTypeParameters=CR_*

  // --- launching ---
  std::string prolog, epilog;  // slurmd's; a pattern of several programs
  std::string task_prolog, task_epilog, srun_prolog, srun_epilog;
  std::string controller_prolog, controller_epilog;
  PrologFlags prolog_flags;
  Duration prolog_timeout{0}, epilog_timeout{0};  // 0: none
  std::string propagate_limits = "ALL";           // PropagateResourceLimits
  std::string propagate_limits_except;            // if not empty, instead of the former
  std::uint32_t propagate_priority = 0;           // PropagatePrioProcess
  std::string health_program;
  Duration health_interval{0}, health_timeout = std::chrono::seconds(60);
  std::string health_states = "ANY";
  Duration unkillable_timeout = std::chrono::seconds(60);
  std::string unkillable_program;
  Duration resume_timeout = std::chrono::seconds(60);
  std::uint32_t tree_width = 16;
  std::string mpi_default = "none";
  std::string task_plugin;         // as configured; empty: what the machine can do
  std::string task_plugin_params;  // TaskPluginParam
  std::string proctrack_type;
  std::uint32_t acct_frequency_s = 30;  // JobAcctGatherFrequency's task=; 0: only at the end
  std::string acct_params;              // JobAcctGatherParams
  std::string bcast_parameters, bcast_exclude = "/lib,/usr/lib,/lib64,/usr/lib64";
  std::string launch_parameters;
  bool kill_on_bad_exit = false;
  Duration srun_wait{0};  // WaitTime
  std::uint16_t srun_port_first = 0, srun_port_last = 0;
  std::uint32_t job_file_append = 0;
  // EioTimeout: how long srun and its tasks do without each other after a lost connection.
  Duration stream_timeout = std::chrono::seconds(60);
  std::string reboot_program;
  std::string licenses;             // Licenses
  Duration reservation_overrun{0};  // ResvOverRun

  bool any_partition_suffices = false;  // EnforcePartLimits=ANY

  // --- generic resources ---
  std::string gres_types;  // GresTypes
  std::uint32_t default_cpus_per_gpu = 0;
  std::uint64_t default_memory_per_gpu_mb = 0;
  // SelectTypeParameters: ENFORCE_BINDING_GRES, MULTIPLE_SHARING_GRES_PJ, ONE_TASK_PER_SHARING_GRES
  bool gres_enforce_binding = false, gres_many_per_shared = false, gres_one_task_per_shared = false;

  PriorityRules priority;
  PreemptRules preempt;  // PreemptType, PreemptMode …
  PowerConfig power;
  std::string scheduler_parameters;  // SchedulerParameters

  // --- topology ---
  std::string topology_plugin = "topology/flat", topology_param;

  std::uint16_t mpi_port_first = 0, mpi_port_last = 0;  // MpiParams=ports=
  std::string cpu_freq_default, cpu_freq_governors = "OnDemand,Performance,UserSpace";
  std::string sysfs = "/sys";    // where devices take their speeds from: SlurmdParameters=sysfs=
  std::string gpu_freq_default;  // GpuFreqDef; empty: not given
  std::string nvidia_smi = "/usr/bin/nvidia-smi";  // SlurmdParameters=nvidia_smi=
  McsRules mcs;                                    // MCSPlugin, MCSParameters

  // Keys with their values as `scontrol show config` prints them: all, or, where only these keys
  // were read, those that are given.
  std::vector<std::pair<std::string, std::string>> shown;
  bool operator==(const MainConfig&) const = default;
};

struct ClusterConfig : MainConfig {
  std::vector<NodeSpec> nodes;  // in the file's order
  std::vector<PartitionSpec> partitions;
  // DownNodes lines: hostlist, state, reason.
  struct DownNodes {
    std::string nodes, state, reason;
    bool operator==(const DownNodes&) const = default;
  };
  std::vector<DownNodes> down_nodes;
  CgroupConfig cgroup;                    // cgroup.conf
  OciConfig oci;                          // oci.conf
  std::vector<GresLine> gres_conf;        // gres.conf
  Ref<std::vector<Topology>> topologies;  // topology.yaml, or topology.conf
  bool operator==(const ClusterConfig&) const = default;
};

}  // namespace ym
