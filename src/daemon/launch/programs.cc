// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/programs.h"

#include <numeric>

#include "base/format.h"
#include "daemon/launch/job_environment.h"
#include "daemon/launch/orders.h"
#include "model/sharing_variables.h"
#include "os/environment_block.h"

namespace ym {
namespace {

void take_spec(JobFacts& facts, const JobSpec& spec, Sharing sharing) {
  facts.uid = spec.uid.value;
  facts.gid = spec.gid.value;
  facts.user = spec.user_name;
  facts.account = spec.account;
  facts.qos = spec.qos;
  facts.name = spec.name;
  facts.work_dir = spec.work_dir;
  facts.std_out = spec.std_out;
  facts.comment = spec.extras->comment;
  facts.constraints = spec.extras->features;
  facts.reservation = spec.extras->reservation;
  facts.std_in = spec.extras->std_in;
  facts.std_err = spec.extras->std_err;
  facts.wckey = spec.extras->wckey;
  facts.extra = spec.extras->extra;
  facts.licenses = spec.extras->licenses;
  facts.sharing = sharing_variables(spec, sharing);
}

// What a launch and its end say alike.
template <class Order>
JobFacts facts_of(const Order& order) {
  JobFacts facts{.job = order.job,
                 .array_job = order.array_job,
                 .sluid = order.sluid,
                 .array_task = order.array_task,
                 .restarts = order.restarts};
  take_spec(facts, *order.spec, order.sharing);
  facts.partition = order.partition;
  facts.cluster = order.cluster;
  facts.nodes = order.nodes;
  facts.start = order.start;
  facts.gres = *order.gres;
  return facts;
}

std::uint64_t seconds(Instant at) { return static_cast<std::uint64_t>(at.unix_seconds()); }

}  // namespace

JobFacts job_facts(const LaunchJob& order) {
  JobFacts facts = facts_of(order);
  facts.cpus = order.cpus;
  facts.end = order.limit_end;
  return facts;
}

JobFacts job_facts(const StepCredential& credential) {
  JobFacts facts{.job = credential.job,
                 .array_job = credential.array_job,
                 .sluid = credential.sluid,
                 .array_task = credential.array_task,
                 .restarts = credential.restarts,
                 .uid = credential.uid.value,
                 .gid = credential.gid.value,
                 .user = credential.user_name,
                 .account = credential.account,
                 .qos = credential.qos,
                 .name = credential.job_name,
                 .partition = credential.partition,
                 .cluster = credential.cluster,
                 .nodes = credential.job_nodes,
                 .work_dir = credential.work_dir,
                 .comment = credential.comment,
                 .constraints = credential.constraints,
                 .reservation = credential.reservation};
  facts.cpus = credential.job_cpus;
  facts.start = credential.start;
  facts.end = credential.limit_end;
  return facts;
}

JobFacts job_facts(const KillJob& order) {
  JobFacts facts = facts_of(order);
  facts.end = order.end;
  facts.exit = order.exit;
  return facts;
}

std::string program_environment(const JobFacts& job, const std::string& context,
                                const std::string& configuration, const std::string& node) {
  EnvironmentBlock environment;
  auto set = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) environment.set(name, value);
  };
  environment.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  environment.set("SLURM_SCRIPT_CONTEXT", context);
  environment.set("SLURM_JOB_ID", job.job.value);
  environment.set("SLURM_JOBID", job.job.value);
  environment.set("SLURM_JOB_UID", job.uid);
  environment.set("SLURM_JOB_GID", job.gid);
  environment.set("SLURM_UID", job.uid);
  set("SLURM_CONF", configuration);
  set("SLURM_CLUSTER_NAME", job.cluster);
  set("SLURM_JOB_USER", job.user);
  set("SLURM_JOB_ACCOUNT", job.account);
  set("SLURM_JOB_QOS", job.qos);
  set("SLURM_JOB_NAME", job.name);
  set("SLURM_JOB_PARTITION", job.partition);
  set("SLURM_JOB_NODELIST", job.nodes);
  set("SLURM_NODELIST", job.nodes);
  set("SLURM_JOB_WORK_DIR", job.work_dir);
  set("SLURM_JOB_COMMENT", job.comment);
  set("SLURM_JOB_CONSTRAINTS", job.constraints);
  set("SLURM_JOB_RESERVATION", job.reservation);
  set("SLURM_JOB_STDIN", job.std_in);
  set("SLURM_JOB_STDOUT", job.std_out);
  set("SLURM_JOB_STDERR", job.std_err);
  set("SLURM_JOB_EXTRA", job.extra);
  set("SLURM_JOB_LICENSES", job.licenses);
  set("SLURM_WCKEY", job.wckey);
  for (const auto& [name, value] : job.sharing) set(name, value);
  set("SLURMD_NODENAME", node);
  if (!job.cpus.empty()) environment.set("SLURM_JOB_CPUS_PER_NODE", repeated(job.cpus));
  environment.set("SLURM_JOB_RESTART_COUNT", job.restarts);
  if (job.start) environment.set("SLURM_JOB_START_TIME", seconds(job.start));
  if (job.end && job.end < kNever) environment.set("SLURM_JOB_END_TIME", seconds(job.end));
  if (job.array_task != kNoTask) {
    environment.set("SLURM_ARRAY_JOB_ID", job.array_job.value);
    environment.set("SLURM_ARRAY_TASK_ID", job.array_task);
  }
  if (context.starts_with("epilog")) {
    // As wait(2) has it, and again as sacct prints it.
    environment.set("SLURM_JOB_EXIT_CODE", (job.exit.code << 8u) | job.exit.signal);
    environment.set("SLURM_JOB_EXIT_CODE2", fmt::format("{}:{}", job.exit.code, job.exit.signal));
    environment.set("SLURM_JOB_DERIVED_EC", (job.exit.code << 8u) | job.exit.signal);
  }
  return environment.bytes();
}

ShepherdOrder extern_order(const JobFacts& job, const ProgramPlace& place) {
  ShepherdOrder order{.job = job.job, .sluid = job.sluid, .step = kExternStep};
  order.uid = job.uid;
  order.gid = job.gid;
  order.node = place.node;
  order.boot_id = place.boot_id;
  order.kind = ShepherdKind::Extern;
  return order;
}

ShepherdOrder program_order(StepId step, const JobFacts& job, const ProgramPlace& place,
                            const std::vector<std::string>& programs) {
  ShepherdOrder order{.job = job.job, .sluid = job.sluid, .step = step};
  order.uid = place.uid;
  order.gid = place.gid;
  order.groups = {place.gid};
  order.node = place.node;
  order.boot_id = place.boot_id;
  order.work_dir = "/";
  order.kind = ShepherdKind::Program;
  order.cgroup.plugin = "disabled";
  order.environment =
      program_environment(job, step == kPrologStep ? "prolog_slurmd" : "epilog_slurmd",
                          place.configuration, place.node);
  for (const std::string& program : programs) {
    TaskOrder task;
    task.arguments = {program};
    task.std_in = "/dev/null";
    order.tasks.push_back(std::move(task));
  }
  return order;
}

}  // namespace ym
