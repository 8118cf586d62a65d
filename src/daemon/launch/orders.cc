// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/orders.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "daemon/launch/job_environment.h"
#include "notation/acct_frequency.h"
#include "notation/pattern.h"
#include "os/environment_block.h"

namespace ym {
namespace {

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

// --acctg-freq, checked where it came in.
void set_acct_frequency(ShepherdOrder& order, std::string_view wish) {
  auto seconds = parse_acct_frequency(wish);
  if (seconds && *seconds) order.acct_frequency_s = **seconds;
}

ShepherdOrder common_order(JobId job, Sluid sluid, StepId step, const LaunchFacts& facts) {
  ShepherdOrder order{
      .job = job, .sluid = sluid, .step = step, .groups = facts.groups, .node = facts.node};
  order.kill_wait = facts.kill_wait;
  order.acct_frequency_s = facts.acct_frequency_s;
  order.boot_id = facts.boot_id;
  order.user_name = facts.user.name;
  return order;
}

// What batch scripts and steps have in common, as far as the submitter's environment tells it.
void set_wishes(ShepherdOrder& order, const EnvironmentBlock& given, const LaunchFacts& facts) {
  order.limits = limits_in(given);
  order.nice = priority_in(given, facts);
  order.temp_dir = facts.temp_dir;
  if (!facts.task_prolog.empty()) order.task_prologs.push_back(facts.task_prolog);
  if (!facts.task_epilog.empty()) order.task_epilogs.push_back(facts.task_epilog);
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

Result<StepShare> check_credential(const StepCredential& credential, const std::string& node,
                                   std::uint32_t caller, const CredentialTime& time) {
  if (caller != 0 && caller != credential.uid.value) {
    return fail(
        fmt::format("the step belongs to uid {}, not to uid {}", credential.uid.value, caller));
  }
  if (time.now > credential.expires + time.skew) return fail("Job credential expired");
  if (credential.issued && credential.issued > time.now + time.skew)
    return fail("Job credential issued in the future; do the clocks differ?");
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
  set_acct_frequency(order, spec.extras->acct_frequency);
  set_wishes(order, EnvironmentBlock(job.environment), facts);
  order.login = login_wish(spec, facts);
  order.umask = umask_from(job.environment);
  bool in_array = job.array_task != kNoTask;
  PatternValues values{.job = job.job.value,
                       .array_job = job.array_job.value,
                       .step = pattern_step(kBatchStep),
                       .node = facts.node,
                       .user = facts.user.name,
                       .job_name = spec.name,
                       .sluid = encode_sluid(job.sluid.value),
                       .restarts = job.restarts};
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
  set_acct_frequency(order, request.acct_frequency);
  set_wishes(order, EnvironmentBlock(request.environment), facts);
  order.limits = request.limits;
  if (!request.task_prolog.empty()) order.task_prologs.push_back(request.task_prolog);
  if (!request.task_epilog.empty())
    order.task_epilogs.insert(order.task_epilogs.begin(), request.task_epilog);
  order.umask = request.umask & 0777;
  order.streams = true;
  order.pty = request.pty;
  order.rows = request.rows;
  order.columns = request.columns;
  order.stdin_task = request.stdin_task;
  order.srun_id = request.srun_id;
  order.mpi = request.mpi;
  const StepWorld& world = credential.world;
  std::uint32_t node = world.first_node + node_number(credential, facts.node);
  order.node_number = node;
  if (!order.mpi.empty() && order.mpi != "none") {
    order.shares = world.tasks ? world.shares : credential.step.shares;
    order.node_names = world.tasks ? world.node_names : credential.node_names;
    order.world = world.name;
  }
  PatternValues values{.job = credential.job.value,
                       .array_job = credential.array_job.value,
                       .step = pattern_step(credential.step.id),
                       .node = facts.node,
                       .node_number = node,
                       .user = facts.user.name,
                       .job_name = credential.job_name,
                       .sluid = encode_sluid(credential.sluid.value),
                       .restarts = credential.restarts};
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
