// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/srun.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/allocation.h"
#include "cli/common/world.h"
#include "cli/common/x11_forward.h"
#include "cli/options/components.h"
#include "cli/options/refusal.h"
#include "cli/srun/bcast.h"
#include "cli/srun/groups.h"
#include "cli/srun/job_around.h"
#include "cli/srun/run_step.h"
#include "cli/srun/step_request.h"
#include "notation/hostlist.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

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

int test_only(Controller& controller, const SubmitJob& request) {
  auto answer = controller.ask<SubmitAnswer>(request);
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
  if (!options.jobid) return fail(kFatal, "--relative option invalid for job allocation request");
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

int run_in_own_allocation(Controller& controller, std::vector<StepPart> parts,
                          SubmissionContext context) {
  auto fail_with = [](const std::string& text) {
    complain("srun", text);
    return 1;
  };
  std::vector<JobOptions> components;
  for (const StepPart& part : parts) components.push_back(part.options);
  auto request = make_submission(components, context);
  if (!request) return tell_refusal(kSrun, request.error());
  if (request->test_only) return test_only(controller, *request);
  std::optional<X11Where> x11 = components.front().x11;
  auto display = x11 ? own_display() : LocalDisplay{};
  if (!display) return tell_refusal(kSrun, display.error());
  auto granted = allocate(controller, *request, waiting_of(components.front(), "srun"));
  if (!granted) return refuse_allocation(kSrun, granted.error(), *request, controller);
  set_allocation_variables(*granted, components, controller.config().cluster_name,
                           context.work_dir);
  context.environment = own_environment();
  std::optional<X11Carrier> carrier;
  if (x11) {
    auto started = carry_x11(controller, *granted, *x11, *display);
    if (!started) return fail_with(started.error().text);
    carrier.emplace(std::move(*started));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Job& job = granted->rows[i].job;
    if (parts[i].options.verbose) tell_nodes(granted->rows[i]);
    parts[i].job = job.id;
    parts[i].options.tasks = std::max(1u, tasks_on(*job.spec, job.allocation->nodes.size()));
    parts[i].options.soft_nodes = static_cast<std::uint32_t>(job.allocation->nodes.size());
    parts[i].options.min_nodes.reset();
  }
  auto code = run_step(controller, parts, context, std::move(granted->watcher));
  int exit = code ? *code : fail_with(code.error().text);
  std::uint8_t signal = exit > 128 ? static_cast<std::uint8_t>(exit - 128) : 0;
  relinquish(
      controller, granted->job,
      {.code = static_cast<std::uint8_t>(signal ? 0 : std::min(exit, 255)), .signal = signal});
  return exit;
}

// --async, whose output must go somewhere; and what goes with it.
Status settle_async(std::vector<StepPart>& parts) {
  JobOptions& options = parts.front().options;
  if (options.parsable && !options.async) return fail("--parsable requires --async");
  if (!options.async) return {};
  if (!options.jobid) return fail("--async is for steps within an allocation");
  if (options.pty) return fail("--async and --pty exclude each other");
  for (StepPart& part : parts) {
    if (part.options.std_out.empty()) part.options.std_out = "slurm-%J.out";
    if (part.options.std_in.empty()) part.options.std_in = "none";
  }
  return {};
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
              "signal's number.\n\n"
              "Several programs, each with options of its own, are separated by a colon and run "
              "as one step:\n"
              "srun -n1 master : -n8 worker. In a heterogeneous job they run in its components "
              "one after the\n"
              "other, or in those that --het-group names.",
          .refusals = Refusals::Slurm};
}

namespace {

// Steps and jobs are called after their programs, unless told. Within a job SLURM_JOB_NAME is the
// job's name.
void name_after_program(StepPart& part) {
  JobOptions& options = part.options;
  bool inherited =
      options.jobid && options.spec.name == environment_variable("SLURM_JOB_NAME").value_or("");
  const std::string& program = part.command[0];
  if (options.spec.name.empty() || inherited)
    options.spec.name = program.substr(program.rfind('/') + 1);
}

// A component without a program runs that of the next one that has one.
Status fill_in_commands(std::vector<StepPart>& parts) {
  const std::vector<std::string>* command = nullptr;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!part->command.empty())
      command = &part->command;
    else if (command)
      part->command = *command;
    else
      return fail(kFatal, "No command given to execute.");
  }
  return {};
}

// SLURM_TEST_EXEC: the program must be there before anything is asked for.
Status test_programs(const std::vector<StepPart>& parts) {
  if (!environment_variable("SLURM_TEST_EXEC")) return {};
  std::string path = environment_variable("PATH").value_or("");
  for (const StepPart& part : parts) {
    if (part.options.multi_prog) continue;
    std::string file = find_program(part.command.front(), path);
    struct stat info{};
    if (::access(file.c_str(), X_OK) != 0 || ::stat(file.c_str(), &info) != 0 ||
        !S_ISREG(info.st_mode))
      return fail(kFatal, fmt::format("Can not execute {}", part.command.front()));
  }
  return {};
}

// LaunchParameters=srun_exclusive_allocation: --exclusive is about the nodes of the job that srun
// makes, not about the CPUs of its tasks.
void settle_exclusive(JobOptions& options, const MainConfig& config) {
  if (options.jobid) return;
  for (std::string_view word : split_words(config.launch_parameters, ','))
    if (same_ignoring_case(word, "srun_exclusive_allocation")) options.exclusive_cpus = false;
}

// Nodes and tasks, as far as they contradict each other.
void settle_layout(JobOptions& options) {
  if (auto said = shorten_node_list(options)) complain("srun", *said);
  if (auto said = settle_tasks_per_node(options)) remark("srun", *said);
  for (const std::string& warning : submission_warnings(options)) remark("srun", warning);
}

// What is left to be found out about one part, with the variables of its component around.
Status settle(StepPart& part, Controller& controller) {
  const MainConfig& config = controller.config();
  if (Status settled = settle_outside(part.options); !settled) return settled;
  if (Status settled = settle_clashes(part.options); !settled) return settled;
  settle_exclusive(part.options, config);
  if (Status read = read_hostfile(part.options); !read) return read;
  name_after_program(part);
  if (Status fine = check_against(part.options, config); !fine) return fine;
  if (std::string text = what_is_ignored(part.options, config); !text.empty())
    complain("srun", text);
  if (Status found = look_at_job(controller, part.options); !found) return found;
  settle_layout(part.options);
  if (Status placed = place_relative(part.options); !placed) return placed;
  part.job = JobId{part.options.jobid};
  return {};
}

}  // namespace

int srun_main(const Arguments& arguments) {
  fill_standard_streams();
  std::vector<Arguments> lines = complete_components(kSrun, split_components(kSrun, arguments), 1);
  auto first =
      parse_command(srun_page(), known_job_options(kSrun), lines.front(), Operands::EndOptions);
  if (first.exit_code) return *first.exit_code;
  if (!first.settings.answer.empty()) {
    print(first.settings.answer);
    return 0;
  }
  if (first.settings.mpi == "list") {
    list_mpi();
    return 0;
  }
  auto fail_with = [](const std::string& text) {
    complain("srun", text);
    return 1;
  };
  auto groups = choose_groups(lines);
  if (!groups) return tell_refusal(kSrun, groups.error());
  auto controller = Controller::open();
  if (controller) controller->greet();
  std::vector<StepPart> parts;
  for (const GroupLine& one : *groups) {
    GroupEnvironment within(one.group);
    auto parsed =
        parse_command(srun_page(), known_job_options(kSrun), one.words, Operands::EndOptions);
    if (parsed.exit_code) return *parsed.exit_code;
    parts.push_back({.options = std::move(parsed.settings), .command = parsed.operands});
  }
  if (Status filled = fill_in_commands(parts); !filled) return tell_refusal(kSrun, filled.error());
  if (Status there = test_programs(parts); !there) return tell_refusal(kSrun, there.error());
  if (!controller) return fail_with(controller.error().text);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    GroupEnvironment within((*groups)[i].group);
    if (Status settled = settle(parts[i], *controller); !settled)
      return tell_refusal(kSrun, settled.error());
  }
  if (Status settled = settle_async(parts); !settled) return tell_refusal(kSrun, settled.error());
  // A signal that comes between two stages of a launch is the step's, once there is one.
  Interrupts interrupts;
  SubmissionContext context = submission_context(kSrun, arguments);
  if (parts.front().options.jobid && parts.front().options.x11)
    remark("srun",
           "Ignoring --x11 option for a job step within an existing job. Set x11 options at job "
           "allocation time.");
  // --test-only is about a job even within one.
  if (!parts.front().options.jobid || parts.front().options.test_only)
    return run_in_own_allocation(*controller, parts, context);
  auto code = run_step(*controller, parts, context, std::nullopt);
  return code ? *code : fail_with(code.error().text);
}

}  // namespace ym::cli
