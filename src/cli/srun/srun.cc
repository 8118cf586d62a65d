// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/srun.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/allocation.h"
#include "cli/common/local.h"
#include "cli/common/world.h"
#include "cli/options/gres_counts.h"
#include "cli/options/refusal.h"
#include "cli/srun/bcast.h"
#include "cli/srun/frame_programs.h"
#include "cli/srun/hostfile.h"
#include "cli/srun/session.h"
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

CreateStep step_request(const JobOptions& options, JobId job, bool own_allocation) {
  CreateStep out{.job = job,
                 .name = options.spec.name,
                 .tasks = options.tasks.value_or(0),
                 .cpus_per_task = options.cpus_per_task.value_or(cpus_by_gpus(options)),
                 .nodes = options.min_nodes.value_or(0),
                 .tasks_per_node = options.tasks_per_node.value_or(0),
                 .memory_per_node_mb = own_allocation ? 0 : options.spec.memory_per_node_mb,
                 .node_list = options.extras.required_nodes,
                 .excluded_nodes = options.extras.excluded_nodes,
                 .overlap = options.overlap || options.external_launcher,
                 .overcommit = options.spec.overcommit,
                 .whole = options.whole || !(options.exact || options.cpus_per_task),
                 .binding = options.extras.binding,
                 .no_kill = options.spec.no_kill};
  if (!own_allocation) {
    GresOptions gres = gres_options_of(options);
    // What the job has as a whole is not what each of its steps asks for.
    if (options.gpus_inherited) gres.per_job.clear();
    if (!(gres == GresOptions{})) out.gres = Ref(std::move(gres));
    if (auto tasks = tasks_by_gpus(options); tasks && !out.tasks) out.tasks = *tasks;
  }
  bool limited = options.spec.time_limit_s != JobSpec::kUnlimited;
  if (!own_allocation && limited) out.time_limit_s = options.spec.time_limit_s;
  if (!options.hosts.empty()) {
    out.node_list = options.hosts;
    out.binding.distribution = "arbitrary";
    if (!out.tasks) out.tasks = static_cast<std::uint32_t>(Hostlist::parse(options.hosts)->count());
    return out;
  }
  // Without a wish, all nodes of the allocation take part, as far as there are tasks for them.
  if (!options.min_nodes && options.soft_nodes && out.node_list.empty())
    out.nodes = out.tasks ? std::min(*options.soft_nodes, out.tasks) : *options.soft_nodes;
  if (out.tasks_per_node && !out.tasks && out.nodes) out.tasks = out.tasks_per_node * out.nodes;
  if (out.tasks && out.nodes > out.tasks) out.nodes = out.tasks;
  return out;
}

// SLURM_HOSTFILE says on which host each task runs; it counts more than any other layout.
Status read_hostfile(JobOptions& options) {
  std::string path = environment_variable("SLURM_HOSTFILE").value_or("");
  if (path.empty()) return {};
  auto text = read_file(path, kHostfileMax + 1);
  if (!text) return fail(fmt::format("SLURM_HOSTFILE: {}", text.error().text));
  auto hosts = hosts_of_file(*text);
  if (!hosts) return fail(fmt::format("SLURM_HOSTFILE {}: {}", path, hosts.error().text));
  options.hosts = *hosts;
  if (options.jobid) return {};
  // Our own allocation has these nodes, each once, and room for the tasks.
  Hostlist list = *Hostlist::parse(options.hosts), nodes = list.uniq();
  options.extras.required_nodes = nodes.str();
  options.min_nodes = options.max_nodes = static_cast<std::uint32_t>(nodes.count());
  if (!options.tasks) options.tasks = static_cast<std::uint32_t>(list.count());
  return {};
}

// Asks until the job has room for the step.
Result<StepCreated> create_step(Controller& controller, const CreateStep& request) {
  Interrupts interrupts;
  bool told = false;
  for (Duration pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    auto created = controller.ask<StepCreated>(request);
    bool busy = !created && is(created.error(), Errc::NodesBusy);
    if (!busy) {
      if (created && told)
        remark("srun", fmt::format("Step created for StepId={}.{}", request.job.value,
                                   created->step.id.value));
      return created;
    }
    if (!told && pause >= kSilentPause) {
      remark("srun",
             fmt::format(
                 "Job {} step creation temporarily disabled, retrying (Requested nodes are busy)",
                 request.job.value));
      told = true;
    }
    ::poll(nullptr, 0, static_cast<int>(pause.count()));
    if (interrupts.pending()) return fail("Cancelled pending job step");
  }
}

// Tells this srun from every other, so that nobody else takes its streams up.
Result<std::string> random_id() {
  auto text = read_file("/proc/sys/kernel/random/uuid", 64);
  if (!text) return text;
  return std::string(trim(*text));
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
                  .oom_kill_step = options.extras.oom_kill_step};
  // The launcher is to start others, everywhere in the allocation.
  if (options.external_launcher) out.binding.cpu_bind = out.binding.mem_bind = "none";
  auto id = random_id();
  if (!id) return std::unexpected(id.error());
  out.srun_id = std::move(*id);
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
    out.multi_prog = std::move(*text);
  }
  return out;
}

// What this machine could start; the helper of PMIx is a program that a site may leave out.
void list_mpi() {
  std::string text = "MPI plugin types are...\n\tnone\n\tpmi1\n\tpmi2\n";
  for (const std::string& folder : {program_folder(), program_prefix() + "/sbin"}) {
    if (::access((folder + "/slurm-pmix").c_str(), X_OK) != 0) continue;
    text += "\tpmix\n";
    break;
  }
  print(text);
}

void tell_nodes(const JobRow& row) {
  std::vector<std::uint32_t> cpus;
  for (const NodeShare& share : row.job.allocation->nodes) cpus.push_back(share.cpus);
  remark("srun", fmt::format("jobid {}: nodes({}):`{}', cpu counts: {}", row.job.id.value,
                             cpus.size(), row.nodes, repeat_counts(cpus)));
}

Result<int> run_step(Controller& controller, const JobOptions& options,
                     const SubmissionContext& context, JobId job,
                     const std::vector<std::string>& command, bool own_allocation) {
  CreateStep request = step_request(options, job, own_allocation);
  auto key = random_id();
  if (!key) return std::unexpected(key.error());
  request.key = std::move(*key);
  auto created = create_step(controller, request);
  if (!created && !own_allocation && is(created.error(), Errc::InvalidJobId)) {
    remark("srun", fmt::format("Check SLURM_JOB_ID environment variable. Expired or invalid job {}",
                               job.value));
    return fail(fmt::format("Unable to confirm allocation for job {}: {}", job.value,
                            created.error().text));
  }
  if (!created)
    return fail(
        fmt::format("Unable to create step for job {}: {}", job.value, created.error().text));
  PatternValues values{.job = job.value,
                       .step = {.kind = StepRef::Kind::Number, .number = created->step.id.value},
                       .node = host_name(),
                       .user = user_name(::getuid()),
                       .job_name = options.spec.name};
  auto plan = plan_streams(options, values);
  if (!plan) return std::unexpected(plan.error());
  auto launch = launch_request(options, context, *created, *plan, command);
  if (!launch) return std::unexpected(launch.error());
  if (Status added = add_task_wishes(*launch, options, context, controller.config()); !added)
    return std::unexpected(added.error());
  if (Status copied = bcast_program(controller, options, *created, *launch); !copied)
    return std::unexpected(copied.error());
  FramePrograms around({.options = options,
                        .config = controller.config(),
                        .created = *created,
                        .job = job,
                        .command = command,
                        .environment = context.environment});
  around.run_prolog();
  Session session(controller, {.job = job,
                               .created = std::move(*created),
                               .launch = std::move(*launch),
                               .plan = std::move(*plan),
                               .options = &options,
                               .own_allocation = own_allocation});
  int code = session.run();
  around.run_epilog();
  return code;
}

int test_only(Controller& controller, const SubmitJob& request) {
  auto answer = controller.ask<SubmitAnswer>(request, Asking::Once);
  if (!answer) {
    print_error(fmt::format("allocation failure: {}\n", answer.error().text));
    return 1;
  }
  remark("srun", expectation(*answer));
  return 0;
}

// -r: the nodes from that one on, of the job around us.
Status place_relative(JobOptions& options) {
  if (!options.relative) return {};
  auto hosts = Hostlist::parse(environment_variable("SLURM_JOB_NODELIST").value_or(""));
  if (!hosts || *options.relative >= hosts->count())
    return fail("--relative: the job has fewer nodes than that");
  std::uint64_t left = hosts->count() - *options.relative;
  if (options.min_nodes.value_or(1) > left)
    return fail("--relative: the job has fewer nodes from there on");
  std::uint64_t count = options.min_nodes.value_or(static_cast<std::uint32_t>(left));
  Hostlist chosen;
  for (std::uint64_t i = 0; i < count; ++i) chosen.push_back(hosts->nth(*options.relative + i));
  options.extras.required_nodes = chosen.str();
  if (!options.min_nodes && options.tasks)
    count = std::min<std::uint64_t>(count, std::max(1u, *options.tasks));
  options.min_nodes = options.max_nodes = static_cast<std::uint32_t>(count);
  return {};
}

int run_in_own_allocation(Controller& controller, JobOptions& options, SubmissionContext context,
                          const std::vector<std::string>& command) {
  auto fail_with = [](const std::string& text) {
    complain("srun", text);
    return 1;
  };
  auto request = make_submission(options, context);
  if (!request) return tell_refusal(kSrun, request.error());
  if (request->test_only) return test_only(controller, *request);
  auto granted = allocate(controller, *request, waiting_of(options, "srun"));
  if (!granted) return refuse_allocation(kSrun, granted.error(), *request, controller.config());
  if (options.verbose) tell_nodes(granted->row);
  for (const auto& [name, value] : allocation_variables(
           granted->row, options, controller.config().cluster_name, context.work_dir))
    ::setenv(name.c_str(), value.c_str(), 1);
  context.environment = own_environment();
  std::uint32_t nodes = static_cast<std::uint32_t>(granted->row.job.allocation->nodes.size());
  options.tasks = std::max(1u, granted->row.job.spec->tasks);
  options.soft_nodes = nodes;
  options.min_nodes.reset();
  auto code = run_step(controller, options, context, granted->job, command, true);
  int exit = code ? *code : fail_with(code.error().text);
  std::uint8_t signal = exit > 128 ? static_cast<std::uint8_t>(exit - 128) : 0;
  relinquish(
      controller, granted->job,
      {.code = static_cast<std::uint8_t>(signal ? 0 : std::min(exit, 255)), .signal = signal});
  return exit;
}

// A closed standard stream must not become the number of something else.
void fill_standard_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    [[maybe_unused]] int lowest_free = ::open("/dev/null", O_RDWR);
  }
}

}  // namespace

CommandPage srun_page() {
  return {.name = "srun",
          .summary = "run tasks on nodes",
          .usage = {"[OPTION]... PROGRAM [ARGUMENT]..."},
          .description =
              "Within an allocation (of sbatch or salloc) the tasks run as a step on its nodes; "
              "otherwise srun gets\n"
              "nodes for itself first. Input and output of the tasks are srun's own. Its exit code "
              "is the\n"
              "highest of its tasks; a task that was killed by a signal counts as 128 and the "
              "signal's number.",
          .refusals = Refusals::Slurm};
}

int srun_main(const Arguments& arguments) {
  fill_standard_streams();
  auto parsed =
      parse_command(srun_page(), job_option_table(kSrun), arguments, Operands::EndOptions);
  if (parsed.exit_code) return *parsed.exit_code;
  JobOptions& options = parsed.settings;
  if (!options.answer.empty()) {
    print(options.answer);
    return 0;
  }
  if (options.mpi == "list") {
    list_mpi();
    return 0;
  }
  auto fail_with = [](const std::string& text) {
    complain("srun", text);
    return 1;
  };
  if (parsed.operands.empty())
    return tell_refusal(kSrun, {.code = kFatal, .text = "No command given to execute."});
  if (std::ranges::find(parsed.operands, ":") != parsed.operands.end())
    return fail_with("Heterogeneous jobs are not run yet");
  if (Status settled = settle_outside(options); !settled)
    return tell_refusal(kSrun, settled.error());
  if (Status read = read_hostfile(options); !read) return fail_with(read.error().text);
  const std::string& program = parsed.operands[0];
  // Within a job SLURM_JOB_NAME is the job's name; a step is called after its program.
  bool inherited =
      options.jobid && options.spec.name == environment_variable("SLURM_JOB_NAME").value_or("");
  if (options.spec.name.empty() || inherited)
    options.spec.name = program.substr(program.rfind('/') + 1);
  auto controller = Controller::open();
  if (!controller) return fail_with(controller.error().text);
  if (Status fine = check_against(options, controller->config()); !fine)
    return tell_refusal(kSrun, fine.error());
  for (const std::string& warning : submission_warnings(options)) remark("srun", warning);
  if (Status placed = place_relative(options); !placed) return fail_with(placed.error().text);
  // A signal that comes between two stages of a launch is the step's, once there is one.
  Interrupts interrupts;
  SubmissionContext context = submission_context(kSrun);
  if (!options.jobid) return run_in_own_allocation(*controller, options, context, parsed.operands);
  auto code = run_step(*controller, options, context, JobId{options.jobid}, parsed.operands, false);
  return code ? *code : fail_with(code.error().text);
}

}  // namespace ym::cli
