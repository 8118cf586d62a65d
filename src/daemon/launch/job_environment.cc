// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/job_environment.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/text.h"
#include "model/binding_variables.h"
#include "model/container_variables.h"
#include "model/gres_request.h"
#include "model/sharing_variables.h"
#include "model/x11_messages.h"
#include "notation/hostlist.h"
#include "notation/limit_names.h"

namespace ym {
namespace {

constexpr const char* kLauncherArguments = "--external-launcher";
constexpr std::string_view kLimitPrefix = "SLURM_RLIMIT_";
constexpr std::uint32_t kLimitKinds = 16;
constexpr std::int32_t kNiceMin = -20, kNiceMax = 19;
constexpr std::uint32_t kLoginSeconds = 120, kLoginSecondsMax = 3600;

std::uint64_t count_of(const std::string& hostlist) {
  auto list = Hostlist::parse(hostlist);
  return list ? list->count() : 0;
}

// What every process of a job sees, however it was started.
void set_node(EnvironmentBlock& environment, const LaunchFacts& facts) {
  environment.set("SLURM_CONF", facts.configuration);
  environment.set("SLURMD_NODENAME", facts.node);
  environment.set("SLURM_TOPOLOGY_ADDR", facts.node);
  environment.set("SLURM_TOPOLOGY_ADDR_PATTERN", "node");
  // Launchers of MPI libraries inside the allocation.
  environment.set("HYDRA_BOOTSTRAP", "slurm");
  environment.set("HYDRA_LAUNCHER_EXTRA_ARGS", kLauncherArguments);
  environment.set("I_MPI_HYDRA_BOOTSTRAP", "slurm");
  environment.set("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", kLauncherArguments);
  environment.set("OMPI_MCA_plm_slurm_args", kLauncherArguments);
  environment.set("PRTE_MCA_plm_slurm_args", kLauncherArguments);
}

// What a login would have set.
void set_user(EnvironmentBlock& environment, const LaunchFacts& facts) {
  environment.set_default("HOME", facts.user.home);
  environment.set_default("USER", facts.user.name);
  environment.set_default("LOGNAME", facts.user.name);
  environment.set_default("SHELL", facts.user.shell.empty() ? "/bin/sh" : facts.user.shell);
  environment.set_default("PATH", "/usr/local/bin:/usr/bin:/bin");
}

// Went from sbatch to the node as variables, but is nobody's business in the job.
void remove_cargo(EnvironmentBlock& environment) {
  for (std::uint32_t kind = 0; kind < kLimitKinds; ++kind) {
    std::string_view name = limit_name(kind);
    if (!name.empty()) environment.remove(fmt::format("{}{}", kLimitPrefix, name));
  }
  environment.remove(kX11TargetVariable);
  environment.remove(kX11CookieVariable);
}

// Of a job or step that surrounded sbatch; what is true of this job is set anew.
constexpr const char* kOfAnother[] = {
    "SLURM_STEP_ID",
    "SLURM_STEPID",
    "SLURM_STEP_NODELIST",
    "SLURM_STEP_NUM_NODES",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_STEP_LAUNCHER_PORT",
    "SLURM_LAUNCH_NODE_IPADDR",
    "SLURM_SRUN_COMM_HOST",
    "SLURM_SRUN_COMM_PORT",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_RESTART_COUNT",
    "SLURM_JOB_ACCOUNT",
    "SLURM_JOB_QOS",
    "SLURM_JOB_RESERVATION",
    "SLURM_JOB_END_TIME",
    "SLURM_JOB_LICENSES",
    "SLURM_JOB_EXTRA",
    "SLURM_JOB_CONSTRAINTS",
    "SLURM_JOB_OVERSUBSCRIBE",
    "SLURM_JOB_EXCLUSIVE",
    "SLURM_JOB_SEGMENT_SIZE",
    "SLURM_MEM_PER_NODE",
    "SLURM_MEM_PER_CPU",
    "SLURM_MEM_PER_GPU",
    "SLURM_GPUS",
    "SLURM_GPUS_PER_NODE",
    "SLURM_GPUS_PER_SOCKET",
    "SLURM_GPUS_PER_TASK",
    "SLURM_CPUS_PER_GPU",
    "SLURM_NTASKS_PER_GPU",
    "SLURM_GPU_BIND",
    "SLURM_GPU_FREQ",
    "SLURM_CPU_FREQ_REQ",
    "SLURM_TRES_PER_TASK",
    "SLURM_STEP_GRES",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_NTASKS_PER_SOCKET",
    "SLURM_NTASKS_PER_CORE",
    "SLURM_OVERCOMMIT",
    "SLURM_TASK_PID",
};

struct JobNames {
  JobId job;
  const std::string &name, &user, &account, &qos, &partition, &cluster, &nodes, &reservation;
  std::uint32_t uid, gid;
  Instant start, limit_end;
  std::uint32_t restarts;
};

void set_job(EnvironmentBlock& environment, const JobNames& job) {
  environment.set("SLURM_JOB_ID", job.job.value);
  environment.set("SLURM_JOBID", job.job.value);
  environment.set("SLURM_JOB_NAME", job.name);
  environment.set("SLURM_JOB_USER", job.user);
  environment.set("SLURM_JOB_UID", job.uid);
  environment.set("SLURM_JOB_GID", job.gid);
  environment.set("SLURM_JOB_PARTITION", job.partition);
  environment.set("SLURM_CLUSTER_NAME", job.cluster);
  environment.set("SLURM_JOB_NODELIST", job.nodes);
  environment.set("SLURM_JOB_NUM_NODES", count_of(job.nodes));
  if (!job.account.empty()) environment.set("SLURM_JOB_ACCOUNT", job.account);
  if (!job.qos.empty()) environment.set("SLURM_JOB_QOS", job.qos);
  if (!job.reservation.empty()) environment.set("SLURM_JOB_RESERVATION", job.reservation);
  auto set_time = [&](const char* name, Instant at) {
    if (at && at < kNever) environment.set(name, static_cast<std::uint64_t>(at.unix_seconds()));
  };
  set_time("SLURM_JOB_START_TIME", job.start);
  set_time("SLURM_JOB_END_TIME", job.limit_end);
  if (job.restarts > 0) environment.set("SLURM_RESTART_COUNT", job.restarts);
}

void set_array(EnvironmentBlock& environment, const LaunchJob& job) {
  if (job.array_task == kNoTask) return;
  environment.set("SLURM_ARRAY_JOB_ID", job.array_job.value);
  environment.set("SLURM_ARRAY_TASK_ID", job.array_task);
  if (job.array_count == 0) return;  // sbatch has said it
  environment.set("SLURM_ARRAY_TASK_COUNT", job.array_count);
  environment.set("SLURM_ARRAY_TASK_MIN", job.array_min);
  environment.set("SLURM_ARRAY_TASK_MAX", job.array_max);
  environment.set("SLURM_ARRAY_TASK_STEP", job.array_step);
}

// What each component of a heterogeneous job is, under names that end in its number.
void set_components(EnvironmentBlock& environment, const LaunchJob& job) {
  environment.remove("SLURM_HET_SIZE");
  environment.remove_containing("_HET_GROUP_");
  if (job.components.empty()) return;
  environment.set("SLURM_HET_SIZE", job.components.size());
  for (std::size_t i = 0; i < job.components.size(); ++i) {
    const HetComponent& one = job.components[i];
    const JobSpec& spec = *one.spec;
    auto set = [&](const char* name, const std::string& value) {
      if (!value.empty()) environment.set(fmt::format("{}_HET_GROUP_{}", name, i), value);
    };
    auto set_count = [&](const char* name, std::uint64_t value) {
      if (value > 0) set(name, fmt::format("{}", value));
    };
    std::uint32_t tasks = std::accumulate(one.tasks.begin(), one.tasks.end(), 0u);
    set_count("SLURM_JOB_ID", one.job.value);
    set_count("SLURM_JOBID", one.job.value);
    set("SLURM_JOB_NAME", spec.name);
    set("SLURM_JOB_PARTITION", one.partition);
    set("SLURM_JOB_ACCOUNT", spec.account);
    set("SLURM_JOB_QOS", spec.qos);
    set("SLURM_JOB_RESERVATION", spec.extras->reservation);
    set("SLURM_JOB_NODELIST", one.nodes);
    set("SLURM_NODELIST", one.nodes);
    set_count("SLURM_JOB_NUM_NODES", one.cpus.size());
    set_count("SLURM_NNODES", one.cpus.size());
    set("SLURM_JOB_CPUS_PER_NODE", repeated(one.cpus));
    set("SLURM_TASKS_PER_NODE", repeated(one.tasks));
    set_count("SLURM_NTASKS", std::max(spec.tasks, tasks));
    set_count("SLURM_NPROCS", std::max(spec.tasks, tasks));
    if (spec.cpus_per_task > 1) set_count("SLURM_CPUS_PER_TASK", spec.cpus_per_task);
    set_count("SLURM_NTASKS_PER_NODE", spec.tasks_per_node);
    set_count("SLURM_MEM_PER_NODE", spec.memory_per_node_mb);
    set_count("SLURM_MEM_PER_CPU", spec.memory_per_cpu_mb);
  }
}

// What was asked for, as far as it was.
void set_requests(EnvironmentBlock& environment, const JobSpec& spec, Sharing sharing) {
  const JobExtras& extras = *spec.extras;
  auto set_text = [&](const char* name, const std::string& value) {
    if (!value.empty()) environment.set(name, value);
  };
  auto set_count = [&](const char* name, std::uint64_t value) {
    if (value > 0) environment.set(name, value);
  };
  if (spec.cpus_per_task > 1) environment.set("SLURM_CPUS_PER_TASK", spec.cpus_per_task);
  set_count("SLURM_NTASKS_PER_NODE", spec.tasks_per_node);
  set_count("SLURM_MEM_PER_NODE", spec.memory_per_node_mb);
  set_count("SLURM_MEM_PER_CPU", spec.memory_per_cpu_mb);
  for (const auto& [name, value] : binding_variables(extras.binding)) environment.set(name, value);
  for (const auto& [name, value] : gres_variables(*extras.specials)) environment.set(name, value);
  set_text("SLURM_CPU_FREQ_REQ", extras.specials->cpu_freq);
  for (const auto& [name, value] : container_variables(extras, *extras.specials))
    environment.set(name, value);
  for (const auto& [name, value] : sharing_variables(spec, sharing)) environment.set(name, value);
  set_text("SLURM_NETWORK", extras.network);
  set_text("SLURM_JOB_LICENSES", extras.licenses);
  set_text("SLURM_JOB_EXTRA", extras.extra);
  set_text("SLURM_JOB_CONSTRAINTS", extras.features);
  if (spec.overcommit) environment.set("SLURM_OVERCOMMIT", "1");
  if (extras.oom_kill_step != 0)
    environment.set("SLURM_OOMKILLSTEP", extras.oom_kill_step == 2 ? "1" : "0");
}

// srun --preserve-env: what it saw itself stays. The option is for this step; only the variable, if
// the user has set it, is for the steps within it, too.
void keep_counts(EnvironmentBlock& environment, const EnvironmentBlock& given) {
  if (!given.has("SLURM_PRESERVE_ENV")) return;
  if (given.get("SLURM_PRESERVE_ENV") == "once") environment.remove("SLURM_PRESERVE_ENV");
  for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES", "SLURM_NTASKS", "SLURM_NPROCS"})
    if (given.has(name)) environment.set(name, given.get(name));
}

}  // namespace

std::string repeated(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t end = at;
    while (end < numbers.size() && numbers[end] == numbers[at]) ++end;
    if (!out.empty()) out += ',';
    out += end - at > 1 ? fmt::format("{}(x{})", numbers[at], end - at)
                        : fmt::format("{}", numbers[at]);
    at = end;
  }
  return out;
}

std::string batch_environment(const LaunchJob& job, const LaunchFacts& facts) {
  const JobSpec& spec = *job.spec;
  EnvironmentBlock environment(job.environment);
  for (const char* name : kOfAnother) environment.remove(name);
  remove_cargo(environment);
  set_node(environment, facts);
  if (spec.extras->get_user_env.empty()) set_user(environment, facts);
  set_job(environment, {.job = job.job,
                        .name = spec.name,
                        .user = facts.user.name,
                        .account = spec.account,
                        .qos = spec.qos,
                        .partition = job.partition,
                        .cluster = job.cluster,
                        .nodes = job.nodes,
                        .reservation = spec.extras->reservation,
                        .uid = spec.uid.value,
                        .gid = spec.gid.value,
                        .start = job.start,
                        .limit_end = job.limit_end,
                        .restarts = job.restarts});
  set_array(environment, job);
  set_components(environment, job);
  set_requests(environment, spec, job.sharing);
  environment.set("ENVIRONMENT", "BATCH");
  environment.set("SLURM_NODELIST", job.nodes);
  environment.set("SLURM_NNODES", count_of(job.nodes));
  environment.set("SLURM_JOB_CPUS_PER_NODE", repeated(job.cpus));
  environment.set("SLURM_TASKS_PER_NODE", repeated(job.tasks));
  // --batch: the script's node need not be the first.
  auto nodes = Hostlist::parse(job.nodes);
  std::uint64_t place = nodes ? nodes->find(facts.node).value_or(0) : 0;
  if (place < job.cpus.size()) environment.set("SLURM_CPUS_ON_NODE", job.cpus[place]);
  std::uint32_t tasks = std::accumulate(job.tasks.begin(), job.tasks.end(), 0u);
  // sbatch says so itself if there is to be one.
  if (spec.tasks > 1 || tasks > 1) {
    environment.set("SLURM_NTASKS", std::max(spec.tasks, tasks));
    environment.set("SLURM_NPROCS", std::max(spec.tasks, tasks));
  }
  environment.set_default("SLURM_SUBMIT_DIR", spec.work_dir);
  if (!spec.submit_host.empty()) environment.set("SLURM_SUBMIT_HOST", spec.submit_host);
  environment.set_default("SLURM_PRIO_PROCESS", "0");
  environment.set("SLURM_NODEID", place);
  for (const char* zero : {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_GTIDS"})
    environment.set(zero, "0");
  return environment.bytes();
}

namespace {

// Nodes and tasks. Of a step that is one of several, which are one to their tasks, what is said is
// said of all.
void set_counts(EnvironmentBlock& environment, const StepCredential& credential) {
  const Step& step = credential.step;
  const StepWorld& world = credential.world;
  bool several = world.tasks > 0;
  const std::vector<StepShare>& shares = several ? world.shares : step.shares;
  std::uint32_t task_count = several ? world.tasks : step.tasks;
  std::string step_nodes = several ? Hostlist::of(world.node_names).str() : credential.step_nodes;
  std::vector<std::uint32_t> tasks;
  for (const StepShare& one : shares) tasks.push_back(one.tasks);
  if (credential.het_job)
    for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"})
      environment.set(name, credential.het_job.value);
  if (several) {
    environment.set("SLURM_JOB_NODELIST", world.job_nodes);
    environment.set("SLURM_JOB_NUM_NODES", world.job_cpus.size());
  }
  environment.set("SLURM_JOB_CPUS_PER_NODE",
                  repeated(several ? world.job_cpus : credential.job_cpus));
  environment.set("SLURM_STEP_ID", step.id.value);
  environment.set("SLURM_STEPID", step.id.value);
  if (step.ports > 0)
    environment.set("SLURM_STEP_RESV_PORTS",
                    step.ports == 1
                        ? fmt::format("{}", step.first_port)
                        : fmt::format("{}-{}", step.first_port, step.first_port + step.ports - 1));
  environment.set("SLURM_STEP_NODELIST", step_nodes);
  environment.set("SLURM_STEP_NUM_NODES", shares.size());
  environment.set("SLURM_STEP_NUM_TASKS", task_count);
  environment.set("SLURM_STEP_TASKS_PER_NODE", repeated(tasks));
  environment.set("SLURM_NODELIST", step_nodes);
  environment.set("SLURM_NNODES", shares.size());
  environment.set("SLURM_NTASKS", task_count);
  environment.set("SLURM_NPROCS", task_count);
  environment.set("SLURM_TASKS_PER_NODE", repeated(tasks));
}

}  // namespace

std::string step_environment(const LaunchTasks& request, const StepCredential& credential,
                             const StepShare& share, const LaunchFacts& facts) {
  EnvironmentBlock environment(request.environment);
  remove_cargo(environment);
  set_node(environment, facts);
  set_user(environment, facts);
  set_job(environment, {.job = credential.job,
                        .name = credential.job_name,
                        .user = facts.user.name,
                        .account = credential.account,
                        .qos = credential.qos,
                        .partition = credential.partition,
                        .cluster = credential.cluster,
                        .nodes = credential.job_nodes,
                        .reservation = credential.reservation,
                        .uid = credential.uid.value,
                        .gid = credential.gid.value,
                        .start = credential.start,
                        .limit_end = credential.limit_end,
                        .restarts = credential.restarts});
  if (credential.array_task != kNoTask) {
    environment.set("SLURM_ARRAY_JOB_ID", credential.array_job.value);
    environment.set("SLURM_ARRAY_TASK_ID", credential.array_task);
  }
  const Step& step = credential.step;
  set_counts(environment, credential);
  // srun listens on no port: it dials the nodes (docs/decisions/0009).
  environment.set("SLURM_STEP_LAUNCHER_PORT", std::uint64_t{0});
  environment.set("SLURM_SRUN_COMM_PORT", std::uint64_t{0});
  if (!facts.launcher.empty()) {
    environment.set("SLURM_SRUN_COMM_HOST", facts.launcher);
    environment.set("SLURM_LAUNCH_NODE_IPADDR", facts.launcher);
  }
  if (step.cpus_per_task > 1) environment.set("SLURM_CPUS_PER_TASK", step.cpus_per_task);
  if (share.cpus > 0) environment.set("SLURM_CPUS_ON_NODE", share.cpus);
  if (share.memory_mb > 0) environment.set("SLURM_MEM_PER_NODE", share.memory_mb);
  environment.set_default("SLURM_PRIO_PROCESS", "0");
  environment.remove("ENVIRONMENT");
  // Those of the task in which srun runs, if it does in one: a program finds the first of its name.
  for (const char* of_tasks :
       {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_TASK_PID", "SLURM_NODEID", "SLURM_GTIDS"})
    environment.remove(of_tasks);
  keep_counts(environment, EnvironmentBlock(request.environment));
  return environment.bytes();
}

std::vector<ResourceLimit> limits_in(const EnvironmentBlock& given) {
  std::vector<ResourceLimit> limits;
  for (std::uint32_t kind = 0; kind < kLimitKinds; ++kind) {
    std::string_view name = limit_name(kind);
    if (name.empty()) continue;
    std::string value = given.get(fmt::format("{}{}", kLimitPrefix, name));
    std::string_view text = value;
    bool required = text.starts_with('U');
    if (required) text.remove_prefix(1);
    auto number = parse_u64(text);
    if (number) limits.push_back({.kind = kind, .soft = *number, .required = required});
  }
  return limits;
}

std::int32_t priority_in(const EnvironmentBlock& given, const LaunchFacts& facts) {
  if (facts.propagate_priority == 0) return facts.nice;
  std::string text = given.get("SLURM_PRIO_PROCESS");
  bool negative = text.starts_with('-');
  auto number = parse_unsigned<std::uint32_t>(std::string_view(text).substr(negative ? 1 : 0));
  if (!number || *number > 20) return facts.nice;
  std::int32_t nice = static_cast<std::int32_t>(*number) * (negative ? -1 : 1);
  // 2: never more urgent than slurmd, which has to keep an eye on it.
  if (facts.propagate_priority == 2) nice = std::max(nice, facts.nice + 1);
  return std::clamp(nice, kNiceMin, kNiceMax);
}

LoginWish login_wish(const JobSpec& spec, const LaunchFacts& facts) {
  std::string_view text = spec.extras->get_user_env;
  if (text.empty()) return {};
  LoginWish wish{.name = facts.user.name,
                 .home = facts.user.home,
                 .shell = facts.user.shell.empty() ? "/bin/sh" : facts.user.shell};
  wish.plain = text.ends_with('S');
  while (!text.empty() && (text.back() < '0' || text.back() > '9')) text.remove_suffix(1);
  auto seconds = parse_unsigned<std::uint32_t>(text);
  // "1" is the mere wish.
  std::uint32_t limit = seconds && *seconds > 1 ? *seconds : kLoginSeconds;
  wish.time_limit = std::chrono::seconds(std::min(limit, kLoginSecondsMax));
  return wish;
}

}  // namespace ym
