// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/orders.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/format.h"
#include "daemon/launch/environment.h"
#include "model/binding_variables.h"
#include "notation/hostlist.h"
#include "notation/pattern.h"

namespace ym {
namespace {

constexpr const char* kLauncherArguments = "--external-launcher";

std::uint64_t count_of(const std::string& hostlist) {
  auto list = Hostlist::parse(hostlist);
  return list ? list->count() : 0;
}

// What every process of a job sees, however it was started.
void set_user(EnvironmentBlock& environment, const LaunchFacts& facts) {
  environment.set("SLURM_CONF", facts.configuration);
  environment.set("SLURMD_NODENAME", facts.node);
  environment.set("SLURM_TOPOLOGY_ADDR", facts.node);
  environment.set("SLURM_TOPOLOGY_ADDR_PATTERN", "node");
  environment.set_default("TMPDIR", facts.temp_dir);
  environment.set_default("HOME", facts.user.home);
  environment.set_default("USER", facts.user.name);
  environment.set_default("LOGNAME", facts.user.name);
  environment.set_default("SHELL", facts.user.shell.empty() ? "/bin/sh" : facts.user.shell);
  environment.set_default("PATH", "/usr/local/bin:/usr/bin:/bin");
  // Launchers of MPI libraries inside the allocation.
  environment.set("HYDRA_BOOTSTRAP", "slurm");
  environment.set("HYDRA_LAUNCHER_EXTRA_ARGS", kLauncherArguments);
  environment.set("I_MPI_HYDRA_BOOTSTRAP", "slurm");
  environment.set("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", kLauncherArguments);
  environment.set("OMPI_MCA_plm_slurm_args", kLauncherArguments);
  environment.set("PRTE_MCA_plm_slurm_args", kLauncherArguments);
}

struct JobNames {
  JobId job;
  const std::string &name, &user, &account, &qos, &partition, &cluster, &nodes;
  std::uint32_t uid, gid;
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
}

void set_array(EnvironmentBlock& environment, const LaunchJob& job) {
  if (job.array_task == kNoTask) return;
  environment.set("SLURM_ARRAY_JOB_ID", job.array_job.value);
  environment.set("SLURM_ARRAY_TASK_ID", job.array_task);
  environment.set("SLURM_ARRAY_TASK_COUNT", job.array_count);
  environment.set("SLURM_ARRAY_TASK_MIN", job.array_min);
  environment.set("SLURM_ARRAY_TASK_MAX", job.array_max);
  environment.set("SLURM_ARRAY_TASK_STEP", job.array_step);
}

std::string batch_environment(const LaunchJob& job, const LaunchFacts& facts) {
  const JobSpec& spec = *job.spec;
  EnvironmentBlock environment(job.environment);
  set_user(environment, facts);
  set_job(environment, {.job = job.job,
                        .name = spec.name,
                        .user = facts.user.name,
                        .account = spec.account,
                        .qos = spec.qos,
                        .partition = job.partition,
                        .cluster = job.cluster,
                        .nodes = job.nodes,
                        .uid = spec.uid.value,
                        .gid = spec.gid.value});
  set_array(environment, job);
  environment.set("ENVIRONMENT", "BATCH");
  environment.set("SLURM_NODELIST", job.nodes);
  environment.set("SLURM_NNODES", count_of(job.nodes));
  environment.set("SLURM_JOB_CPUS_PER_NODE", repeated(job.cpus));
  environment.set("SLURM_TASKS_PER_NODE", repeated(job.tasks));
  if (!job.cpus.empty()) environment.set("SLURM_CPUS_ON_NODE", job.cpus.front());
  std::uint32_t tasks = std::accumulate(job.tasks.begin(), job.tasks.end(), 0u);
  if (spec.tasks > 1 || tasks > 1) {
    environment.set("SLURM_NTASKS", std::max(spec.tasks, tasks));
    environment.set("SLURM_NPROCS", std::max(spec.tasks, tasks));
  }
  if (spec.cpus_per_task > 1) environment.set("SLURM_CPUS_PER_TASK", spec.cpus_per_task);
  if (spec.tasks_per_node > 0) environment.set("SLURM_NTASKS_PER_NODE", spec.tasks_per_node);
  for (const auto& [name, value] : binding_variables(spec.extras->binding))
    environment.set(name, value);
  if (spec.memory_per_node_mb > 0) environment.set("SLURM_MEM_PER_NODE", spec.memory_per_node_mb);
  if (spec.memory_per_cpu_mb > 0) environment.set("SLURM_MEM_PER_CPU", spec.memory_per_cpu_mb);
  environment.set_default("SLURM_SUBMIT_DIR", spec.work_dir);
  if (!spec.submit_host.empty()) environment.set("SLURM_SUBMIT_HOST", spec.submit_host);
  environment.set("SLURM_JOB_START_TIME", static_cast<std::uint64_t>(job.start.unix_seconds()));
  if (job.limit_end && job.limit_end < kNever) {
    environment.set("SLURM_JOB_END_TIME", static_cast<std::uint64_t>(job.limit_end.unix_seconds()));
  }
  if (job.restarts > 0) environment.set("SLURM_RESTART_COUNT", job.restarts);
  for (const char* zero :
       {"SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_GTIDS", "SLURM_PRIO_PROCESS"}) {
    environment.set(zero, "0");
  }
  for (const char* of_steps : {"SLURM_STEP_ID", "SLURM_STEPID", "SLURM_STEP_NODELIST"})
    environment.remove(of_steps);
  return environment.bytes();
}

std::string step_environment(const LaunchTasks& request, const StepCredential& credential,
                             const StepShare& share, const LaunchFacts& facts) {
  EnvironmentBlock environment(request.environment);
  set_user(environment, facts);
  set_job(environment, {.job = credential.job,
                        .name = credential.job_name,
                        .user = facts.user.name,
                        .account = credential.account,
                        .qos = credential.qos,
                        .partition = credential.partition,
                        .cluster = credential.cluster,
                        .nodes = credential.job_nodes,
                        .uid = credential.uid.value,
                        .gid = credential.gid.value});
  if (credential.array_task != kNoTask) {
    environment.set("SLURM_ARRAY_JOB_ID", credential.array_job.value);
    environment.set("SLURM_ARRAY_TASK_ID", credential.array_task);
  }
  const Step& step = credential.step;
  std::vector<std::uint32_t> tasks;
  for (const StepShare& one : step.shares) tasks.push_back(one.tasks);
  environment.set("SLURM_JOB_CPUS_PER_NODE", repeated(credential.job_cpus));
  environment.set("SLURM_STEP_ID", step.id.value);
  environment.set("SLURM_STEPID", step.id.value);
  environment.set("SLURM_STEP_NODELIST", credential.step_nodes);
  environment.set("SLURM_STEP_NUM_NODES", step.shares.size());
  environment.set("SLURM_STEP_NUM_TASKS", step.tasks);
  environment.set("SLURM_STEP_TASKS_PER_NODE", repeated(tasks));
  environment.set("SLURM_NODELIST", credential.step_nodes);
  environment.set("SLURM_NNODES", step.shares.size());
  environment.set("SLURM_NTASKS", step.tasks);
  environment.set("SLURM_NPROCS", step.tasks);
  environment.set("SLURM_TASKS_PER_NODE", repeated(tasks));
  if (step.cpus_per_task > 1) environment.set("SLURM_CPUS_PER_TASK", step.cpus_per_task);
  if (share.cpus > 0) environment.set("SLURM_CPUS_ON_NODE", share.cpus);
  if (credential.memory_per_node_mb > 0)
    environment.set("SLURM_MEM_PER_NODE", credential.memory_per_node_mb);
  environment.set("SLURM_PRIO_PROCESS", "0");
  environment.remove("ENVIRONMENT");
  // Those of the task in which srun runs, if it does in one: a program finds the first of its name.
  for (const char* of_tasks :
       {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_TASK_PID", "SLURM_NODEID", "SLURM_GTIDS"})
    environment.remove(of_tasks);
  return environment.bytes();
}

// sbatch sends the submitter's umask along as SLURM_UMASK, in octal.
std::uint32_t umask_from(std::string_view environment) {
  std::string text = EnvironmentBlock(environment).get("SLURM_UMASK");
  std::uint32_t mask = 0;
  if (text.empty() || text.size() > 4) return 022;
  for (char digit : text) {
    if (digit < '0' || digit > '7') return 022;
    mask = mask * 8 + static_cast<std::uint32_t>(digit - '0');
  }
  return mask & 0777;
}

StepRef pattern_step(StepId step) {
  if (step == kBatchStep) return {.kind = StepRef::Kind::Batch};
  if (step == kExternStep) return {.kind = StepRef::Kind::Extern};
  if (step == kInteractiveStep) return {.kind = StepRef::Kind::Interactive};
  return {.kind = StepRef::Kind::Number, .number = step.value};
}

ShepherdOrder common_order(JobId job, Sluid sluid, StepId step, const LaunchFacts& facts) {
  ShepherdOrder order{
      .job = job, .sluid = sluid, .step = step, .groups = facts.groups, .node = facts.node};
  order.kill_wait = facts.kill_wait;
  order.boot_id = facts.boot_id;
  return order;
}

std::uint32_t node_number(const StepCredential& credential, const std::string& node) {
  auto found = std::ranges::find(credential.node_names, node);
  return static_cast<std::uint32_t>(found - credential.node_names.begin());
}

std::string task_environment(const StepShare& share, std::uint32_t local, std::uint32_t node) {
  std::string ranks;
  for (std::uint32_t n = 0; n < share.tasks; ++n)
    ranks += fmt::format("{}{}", n == 0 ? "" : ",", share.rank(n));
  EnvironmentBlock environment;
  environment.set("SLURM_PROCID", share.rank(local));
  environment.set("SLURM_LOCALID", local);
  environment.set("SLURM_NODEID", node);
  environment.set("SLURM_GTIDS", ranks);
  return environment.bytes();
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

Result<StepShare> check_credential(const StepCredential& credential, const std::string& node,
                                   std::uint32_t caller, Instant now) {
  if (caller != 0 && caller != credential.uid.value) {
    return fail(
        fmt::format("the step belongs to uid {}, not to uid {}", credential.uid.value, caller));
  }
  if (now > credential.expires) return fail("Job credential expired");
  if (credential.step.id == kBatchStep) return fail("a batch script is not launched by srun");
  std::uint32_t number = node_number(credential, node);
  if (number >= credential.node_names.size() || number >= credential.step.shares.size()) {
    return fail(fmt::format("Job credential is not for node {}", node));
  }
  return credential.step.shares[number];
}

ShepherdOrder batch_order(const LaunchJob& job, const LaunchFacts& facts) {
  const JobSpec& spec = *job.spec;
  ShepherdOrder order = common_order(job.job, job.sluid, kBatchStep, facts);
  order.uid = spec.uid.value;
  order.gid = spec.gid.value;
  order.work_dir = spec.work_dir;
  order.script = job.script;
  order.arguments = spec.extras->arguments;
  order.environment = batch_environment(job, facts);
  order.umask = umask_from(job.environment);
  bool in_array = job.array_task != kNoTask;
  PatternValues values{.job = job.job.value,
                       .array_job = job.array_job.value,
                       .step = pattern_step(kBatchStep),
                       .node = facts.node,
                       .user = facts.user.name,
                       .job_name = spec.name};
  if (in_array) values.task = job.array_task;
  auto file = [&](const std::string& pattern, const char* otherwise) {
    return expand(pattern.empty() ? otherwise : pattern, values);
  };
  TaskOrder task;
  task.std_in = file(spec.extras->std_in, "/dev/null");
  task.std_out = file(spec.std_out, in_array ? "slurm-%A_%a.out" : "slurm-%j.out");
  task.std_err = spec.extras->std_err.empty() ? task.std_out : file(spec.extras->std_err, "");
  // A requeued job goes on in its file, as Slurm's do, only if it was told to append.
  task.truncate_out = task.truncate_err = !spec.append_output;
  order.tasks.push_back(std::move(task));
  return order;
}

Result<ShepherdOrder> step_order(const LaunchTasks& request, const StepCredential& credential,
                                 const StepShare& share, const LaunchFacts& facts) {
  if (request.arguments.empty() && request.multi_prog.empty()) return fail("no program to run");
  ShepherdOrder order = common_order(credential.job, credential.sluid, credential.step.id, facts);
  order.uid = credential.uid.value;
  order.gid = credential.gid.value;
  order.work_dir = request.work_dir;
  order.arguments = request.arguments;
  order.environment = step_environment(request, credential, share, facts);
  order.umask = request.umask & 0777;
  order.streams = true;
  order.pty = request.pty;
  order.rows = request.rows;
  order.columns = request.columns;
  order.stdin_task = request.stdin_task;
  order.srun_id = request.srun_id;
  order.mpi = request.mpi;
  order.node_number = node_number(credential, facts.node);
  if (!order.mpi.empty() && order.mpi != "none") {
    order.shares = credential.step.shares;
    order.node_names = credential.node_names;
  }
  std::uint32_t node = node_number(credential, facts.node);
  PatternValues values{.job = credential.job.value,
                       .array_job = credential.array_job.value,
                       .step = pattern_step(credential.step.id),
                       .node = facts.node,
                       .node_number = node,
                       .user = facts.user.name,
                       .job_name = credential.job_name};
  if (credential.array_task != kNoTask) values.task = credential.array_task;
  std::set<std::string> opened;
  auto file = [&](const std::string& pattern) {
    return pattern.empty() ? std::string() : expand(pattern, values);
  };
  auto first = [&](const std::string& path) {
    return opened.insert(path).second && !request.append_output;
  };
  for (std::uint32_t local = 0; local < share.tasks; ++local) {
    values.rank = share.rank(local);
    TaskOrder task{.rank = values.rank, .environment = task_environment(share, local, node)};
    task.std_in = file(request.std_in);
    bool reads = request.stdin_task == kEveryTask || request.stdin_task == task.rank;
    if (task.std_in.empty() && !reads) task.std_in = "/dev/null";
    task.std_out = file(request.std_out);
    task.std_err = file(request.std_err);
    if (!task.std_out.empty()) task.truncate_out = first(task.std_out);
    if (!task.std_err.empty()) task.truncate_err = first(task.std_err);
    if (!request.multi_prog.empty()) {
      auto arguments = multi_prog_arguments(request.multi_prog, task.rank);
      if (!arguments) return std::unexpected(arguments.error());
      task.arguments = std::move(*arguments);
    }
    order.tasks.push_back(std::move(task));
  }
  if (order.tasks.empty()) return fail("no tasks for this node");
  return order;
}

}  // namespace ym
