// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/run_step.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/allocation.h"
#include "cli/common/command.h"
#include "cli/common/local.h"
#include "cli/options/gres_counts.h"
#include "cli/srun/bcast.h"
#include "cli/srun/frame_programs.h"
#include "cli/srun/multi_prog_check.h"
#include "cli/srun/session.h"
#include "cli/srun/step_request.h"
#include "cli/srun/task_wishes.h"
#include "notation/hostlist.h"
#include "notation/pattern.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

// The step before may have ended a moment ago, and its nodes not have said so yet: the first tries
// follow each other quickly, and nothing is said about them.
constexpr Duration kFirstPause{2};
constexpr Duration kSilentPause{256};
constexpr Duration kLongestPause{5000};
constexpr std::size_t kMultiProgMax = 1 << 20;

// The name of a file; empty where srun's own streams are meant: all of them, or those of one task.
std::string file_named_by(const std::string& mode) {
  if (mode == "none") return "/dev/null";
  return mode == "all" || parse_u64(mode) ? std::string() : mode;
}

// What people are shown of it.
Ref<StepTexts> texts_of(const JobOptions& options, const SubmissionContext& context) {
  GresOptions gres = step_gres_of(options);
  gres.bind = gpu_binding(options);
  return Ref(StepTexts{.submit_line = context.line,
                       .std_in = file_named_by(options.std_in),
                       .std_out = file_named_by(options.std_out),
                       .std_err = file_named_by(options.std_err),
                       .cpu_freq = options.specials.cpu_freq,
                       .container_id = options.specials.container_id,
                       .network = options.extras.network,
                       .distribution = options.extras.binding.distribution,
                       .host = context.host,
                       .pid = static_cast<std::uint32_t>(::getpid()),
                       .gres = std::move(gres)});
}

// Tells this srun from every other, so that nobody else takes its streams up.
Result<std::string> random_id() {
  auto text = read_file("/proc/sys/kernel/random/uuid", 64);
  if (!text) return text;
  return std::string(trim(*text));
}

// The steps of all parts, or none.
Result<std::vector<StepCreated>> ask(Controller& controller,
                                     const std::vector<CreateStep>& requests) {
  if (requests.size() > 1) {
    auto created = controller.ask<HetStepCreated>(CreateHetStep{.parts = requests});
    if (!created) return std::unexpected(created.error());
    if (created->parts.size() != requests.size()) return fail("not all steps were made");
    return std::move(created->parts);
  }
  auto created = controller.ask<StepCreated>(requests.front());
  if (!created) return std::unexpected(created.error());
  return std::vector<StepCreated>{std::move(*created)};
}

// Asks until the job has room for the step.
Result<std::vector<StepCreated>> create_steps(Controller& controller,
                                              const std::vector<CreateStep>& requests) {
  Interrupts interrupts;
  bool told = false;
  std::uint32_t job = requests.front().job.value;
  for (Duration pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    auto created = ask(controller, requests);
    bool busy =
        !created && (is(created.error(), Errc::NodesBusy) || is(created.error(), Errc::PortsBusy));
    if (!busy) {
      if (created && told)
        remark("srun",
               fmt::format("Step created for StepId={}.{}", job, created->front().step.id.value));
      return created;
    }
    if (!told && pause >= kSilentPause) {
      remark("srun",
             fmt::format(
                 "Job {} step creation temporarily disabled, retrying (Requested nodes are busy)",
                 job));
      told = true;
    }
    ::poll(nullptr, 0, static_cast<int>(pause.count()));
    if (interrupts.pending()) return fail("Cancelled pending job step");
  }
}

Result<LaunchTasks> launch_request(const JobOptions& options, const SubmissionContext& context,
                                   const StepCreated& created, const StreamPlan& plan,
                                   const std::vector<std::string>& command) {
  LaunchTasks out{.credential = created.credential,
                  .signature = created.signature,
                  .arguments = command,
                  .work_dir = context.work_dir,
                  .std_in = plan.node_in,
                  .std_out = plan.node_out,
                  .std_err = plan.node_err,
                  .stdin_task = plan.stdin_task,
                  .append_output = options.spec.append_output,
                  .unbuffered = options.unbuffered,
                  .kill_on_bad_exit = options.kill_on_bad_exit.value_or(false),
                  .pty = options.pty,
                  .umask = context.umask,
                  .binding = options.extras.binding,
                  .mpi = options.mpi,
                  .external_launcher = options.external_launcher,
                  .tres_bind = gpu_binding(options),
                  .oom_kill_step = options.extras.oom_kill_step,
                  .cpu_freq = options.specials.cpu_freq,
                  .wait_for_children = options.wait_for_children,
                  .gpu_freq = gpu_freq_of(options)};
  // The launcher is to start others, everywhere in the allocation.
  if (options.external_launcher) out.binding.cpu_bind = out.binding.mem_bind = "none";
  if (!options.chdir.empty())
    out.work_dir =
        options.chdir.starts_with('/') ? options.chdir : context.work_dir + "/" + options.chdir;
  winsize size{};
  if (options.pty && ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) {
    out.rows = size.ws_row;
    out.columns = size.ws_col;
  }
  if (options.multi_prog) {
    auto text = read_file(command[0], kMultiProgMax);
    if (!text) return fail(fmt::format("Could not open multi_prog config file {}", command[0]));
    Status checked = check_multi_prog(*text, command[0], options.tasks.value_or(0));
    if (!checked) return std::unexpected(checked.error());
    out.multi_prog = std::move(*text);
  }
  return out;
}

Error creation_error(JobId job, const Error& error, bool own_allocation) {
  if (!own_allocation && is(error, Errc::InvalidJobId)) {
    remark("srun", fmt::format("Check SLURM_JOB_ID environment variable. Expired or invalid job {}",
                               job.value));
    return {
        .code = 0,
        .text = fmt::format("Unable to confirm allocation for job {}: {}", job.value, error.text)};
  }
  return {.code = 0,
          .text = fmt::format("Unable to create step for job {}: {}", job.value, error.text)};
}

// One part, ready to go.
struct Prepared {
  LaunchTasks launch;
  StreamPlan plan;
};

Result<Prepared> prepare(Controller& controller, const StepPart& part, const StepCreated& created,
                         const SubmissionContext& context, const std::string& srun_id) {
  PatternValues values{.job = part.job.value,
                       .step = {.kind = StepRef::Kind::Number, .number = created.step.id.value},
                       .node = host_name(),
                       .user = user_name(::getuid()),
                       .job_name = part.options.spec.name};
  auto number_of = [](const char* variable) {
    return parse_unsigned<std::uint32_t>(environment_variable(variable).value_or(""));
  };
  values.array_job = number_of("SLURM_ARRAY_JOB_ID").value_or(0);
  values.task = number_of("SLURM_ARRAY_TASK_ID");
  values.restarts = number_of("SLURM_RESTART_COUNT").value_or(0);
  auto plan = plan_streams(part.options, values);
  if (!plan) return std::unexpected(plan.error());
  auto launch = launch_request(part.options, context, created, *plan, part.command);
  if (!launch) return std::unexpected(launch.error());
  launch->srun_id = srun_id;
  if (Status added = add_task_wishes(*launch, part.options, context, controller.config()); !added)
    return std::unexpected(added.error());
  if (Status copied = bcast_program(controller, part.options, created, *launch); !copied)
    return std::unexpected(copied.error());
  return Prepared{.launch = std::move(*launch), .plan = std::move(*plan)};
}

// --async: says which step it is, and goes on in the background. The connections are the child's
// from now on: the parent leaves without another word on them.
Status leave_behind(const StepCreated& created, bool parsable) {
  std::string id = fmt::format("{}.{}", created.job.value, created.step.id.value);
  print(parsable ? id + "\n" : fmt::format("Submitted step {}\n", id));
  pid_t child = ::fork();
  if (child < 0) return fail(errno_text("fork"));
  if (child > 0) ::_exit(0);
  ::setsid();
  int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
  return {};
}

// All nodes and all tasks, numbered as they are among all.
StepCreated merged(const std::vector<StepCreated>& steps) {
  StepCreated all = steps.front();
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const StepCreated& other = steps[i];
    all.step.tasks += other.step.tasks;
    all.step.shares.insert(all.step.shares.end(), other.step.shares.begin(),
                           other.step.shares.end());
    all.nodes.insert(all.nodes.end(), other.nodes.begin(), other.nodes.end());
  }
  return all;
}

}  // namespace

Result<int> run_step(Controller& controller, const std::vector<StepPart>& parts,
                     const SubmissionContext& context, std::optional<JobWatcher> watcher) {
  bool own_allocation = watcher.has_value();
  const StepPart& first = parts.front();
  std::vector<CreateStep> requests;
  for (const StepPart& part : parts) {
    requests.push_back(step_request(part.options, part.job, own_allocation));
    auto key = random_id();
    if (!key) return std::unexpected(key.error());
    requests.back().key = std::move(*key);
    requests.back().texts = texts_of(part.options, context);
  }
  auto created = create_steps(controller, requests);
  if (!created) return std::unexpected(creation_error(first.job, created.error(), own_allocation));
  auto id = random_id();
  if (!id) return std::unexpected(id.error());
  StepRun run{.job = first.job,
              .created = merged(*created),
              .options = &first.options,
              .own_allocation = own_allocation,
              .watcher = std::move(watcher)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto ready = prepare(controller, parts[i], (*created)[i], context, *id);
    if (!ready) return std::unexpected(ready.error());
    if (i == 0) run.plan = std::move(ready->plan);
    if (i > 0) ready->launch.pty = false;
    run.slices.push_back({.job = parts[i].job,
                          .step = (*created)[i].step.id,
                          .nodes = (*created)[i].nodes.size(),
                          .launch = std::move(ready->launch)});
  }
  if (first.options.async)
    if (Status left = leave_behind(run.created, first.options.parsable); !left)
      return std::unexpected(left.error());
  FramePrograms around({.options = first.options,
                        .config = controller.config(),
                        .created = run.created,
                        .job = first.job,
                        .command = first.command,
                        .environment = context.environment});
  around.run_prolog();
  Session session(controller, std::move(run));
  int code = session.run();
  around.run_epilog();
  return code;
}

}  // namespace ym::cli
