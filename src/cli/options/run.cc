// SPDX-License-Identifier: Apache-2.0
// What concerns the running of one of the three commands only.
#include "cli/common/signals.h"
#include "cli/options/setters.h"
#include "model/step_messages.h"
#include "notation/array.h"

namespace ym::cli {
namespace {

Status set_wrap(JobOptions& options, std::string_view value) {
  options.wrap = value;
  options.wrap_given = true;
  return {};
}

Status set_kill_on_bad_exit(JobOptions& options, std::string_view value) {
  if (!value.empty() && value != "0" && value != "1") return bad_number();
  options.kill_on_bad_exit = value != "0";
  return {};
}

Status set_wait(JobOptions& options, std::string_view value) {
  auto seconds = parse_unsigned<std::uint32_t>(value);
  if (!seconds) return bad_number();
  options.task_wait_s = *seconds;
  return {};
}

Status set_jobid(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0) return bad_number();
  options.jobid = *number;
  return {};
}

Status set_mpi(JobOptions& options, std::string_view value) {
  bool known = value == "none" || value == "list" || value == "pmi1" || value == "pmi2" ||
               value == "pmix" || value.starts_with("pmix_v");
  if (!known)
    return fail(kWholeTextOne, fmt::format("Invalid MPI type '{}', --mpi=list for acceptable types",
                                           printable(value)));
  options.mpi = value;
  return {};
}

Status set_bcast(JobOptions& options, std::string_view value) {
  options.bcast = value;
  return {};
}
Status set_compress(JobOptions& options, std::string_view value) {
  if (!value.empty())
    if (auto word = one_of(value, {"lz4", "none"}); !word) return std::unexpected(word.error());
  options.bcast_compress = !same_ignoring_case(value, "none");
  return {};
}
Status set_send_libs(JobOptions& options, std::string_view value) {
  if (!value.empty())
    if (auto word = one_of(value, {"yes", "no"}); !word) return std::unexpected(word.error());
  options.send_libs = !same_ignoring_case(value, "no");
  return {};
}
Status set_bcast_exclude(JobOptions& options, std::string_view value) {
  options.bcast_exclude = value;
  return {};
}

// -K of salloc: the command gets a signal when its allocation ends.
Status set_kill_command(JobOptions& options, std::string_view value) {
  if (value.empty()) {
    options.kill_command = 0;
    return {};
  }
  auto signal = parse_signal(value);
  if (!signal || *signal == 0) return fail("no such signal");
  options.kill_command = *signal;
  return {};
}

template <bool Ring>
Status set_bell(JobOptions& options, std::string_view) {
  options.bell = Ring;
  return {};
}

Status set_relative(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number >= 0x7fffffff) return bad_number();
  options.relative = *number;
  return {};
}

Status set_het_group(JobOptions& options, std::string_view value) {
  auto groups = ArrayExpression::parse(value);
  bool fine = groups && !groups->max_running && groups->indices.max() < kHetComponentsMax;
  if (!fine)
    return fail(kWholeTextOne, fmt::format("Invalid --het-group value: {}", printable(value)));
  options.het_groups = groups->indices;
  return {};
}

Status refuse_no_allocate(JobOptions&, std::string_view) {
  return fail(kWholeTextOne, "--no-allocate is not supported: steps run within allocations only");
}

// A number of ports for each node; without one, as many as there are tasks on a node.
Status set_reserved_ports(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!value.empty() && (!number || *number > 0xffff))
    return fail(kWholeText,
                fmt::format("Invalid numeric value \"{}\" for --resv-port.", printable(value)));
  options.specials.reserved_ports = value.empty() ? kPortForEachTask : *number;
  return {};
}

// Letters of g, m, n and v: what tasks are bound to. GPUs are what there is here.
Status set_accel_bind(JobOptions& options, std::string_view value) {
  if (value.empty() || value.find_first_not_of("gmnv") != std::string_view::npos)
    return fail(kWholeText, "Invalid --accel-bind specification");
  bool told = value.find('v') != std::string_view::npos;
  if (value.find('g') != std::string_view::npos)
    options.specials.tres_bind = told ? "gpu:verbose,closest" : "gpu:closest";
  return {};
}

Status set_ignored_signals(JobOptions& options, std::string_view value) {
  std::vector<std::uint16_t> signals;
  for (std::string_view one : split_words(value, ',')) {
    auto signal = parse_signal(one);
    if (!signal || *signal == 0)
      return fail(kWholeTextOne,
                  fmt::format("Invalid --ignore-signals specification: {}", printable(one)));
    signals.push_back(*signal);
  }
  options.ignored_signals = std::move(signals);
  return {};
}

Status set_whole(JobOptions& options, std::string_view) {
  options.whole = true;
  options.exact = options.exclusive_cpus = false;
  return {};
}

std::span<const JobOption> batch_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "wrap",
                           .takes = Takes::Value,
                           .argument = "COMMAND",
                           .help = "Run this shell command instead of a script"},
                  .set = set_wrap},
       .commands = kSbatch},
      {.option = {.info = {.name = "parsable",
                           .help = "Print the job id only; with --clusters, ;CLUSTER behind it. Of "
                                   "srun --async: the step's id"},
                  .set = set_flag<&JobOptions::parsable>},
       .commands = kSbatch | kSrun},
      {.option = {.info = {.name = "ignore-pbs",
                           .help = "Take #PBS and #BSUB lines of the script for comments",
                           .variable = "IGNORE_PBS"},
                  .set = set_flag<&JobOptions::ignore_pbs>},
       .commands = kSbatch},
      {.option = {.info = {.name = "no-shell", .help = "Get the allocation and leave"},
                  .set = set_flag<&JobOptions::no_shell>},
       .commands = kSalloc},
      {.option = {.info = {.name = "bell",
                           .help = "Ring the terminal's bell when the nodes are there; otherwise "
                                   "only after a wait of ten seconds",
                           .variable = "BELL"},
                  .set = set_bell<true>},
       .commands = kSalloc},
      {.option = {.info = {.name = "no-bell", .help = "Never ring the bell", .variable = "NO_BELL"},
                  .set = set_bell<false>},
       .commands = kSalloc},
      {.option = {.info = {.name = "kill-command",
                           .letter = 'K',
                           .takes = Takes::Maybe,
                           .argument = "SIGNAL",
                           .help = "Send the command this when its allocation ends: SIGTERM, or "
                                   "SIGHUP on a terminal",
                           .variable = "KILL_CMD"},
                  .set = set_kill_command},
       .commands = kSalloc},
      {.option = {.info = {.name = "stepmgr",
                           .help = "Taken, without effect: many steps need nobody else to manage "
                                   "them"},
                  .set = set_flag<&JobSpecials::step_manager>},
       .commands = kAllocators},
      {.option = {.info = {.name = "power",
                           .takes = Takes::Value,
                           .argument = "FLAGS",
                           .help = "Taken, without effect",
                           .variable = "POWER",
                           .hidden = true},
                  .set = accept}},
  };
  return kRows;
}

std::span<const JobOption> task_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "jobid",
                           .takes = Takes::Value,
                           .argument = "ID",
                           .help = "Run within this job's allocation"},
                  .set = set_jobid},
       .commands = kSrun,
       .srun_variable = "SLURM_JOB_ID"},
      {.option = {.info = {.name = "label",
                           .letter = 'l',
                           .help = "Task number before each line of output",
                           .variable = "LABELIO"},
                  .set = set_flag<&JobOptions::label>},
       .commands = kSrun},
      {.option = {.info = {.name = "unbuffered",
                           .letter = 'u',
                           .help = "Pass output on as it comes, not by lines",
                           .variable = "UNBUFFEREDIO"},
                  .set = set_flag<&JobOptions::unbuffered>},
       .commands = kSrun},
      {.option = {.info = {.name = "pty",
                           .takes = Takes::Maybe,
                           .argument = "FD",
                           .help = "Give task 0 a terminal"},
                  .set = set_flag<&JobOptions::pty>},
       .commands = kSrun},
      {.option = {.info = {.name = "kill-on-bad-exit",
                           .letter = 'K',
                           .takes = Takes::Maybe,
                           .argument = "0|1",
                           .help = "End the step when a task fails",
                           .variable = "KILL_BAD_EXIT"},
                  .set = set_kill_on_bad_exit},
       .commands = kSrun},
      {.option = {.info = {.name = "overlap",
                           .help = "Share the job's CPUs with other steps",
                           .variable = "OVERLAP"},
                  .set = set_flag<&JobOptions::overlap>},
       .commands = kSrun},
      {.option = {.info = {.name = "exact",
                           .help = "Take only the CPUs that the tasks need",
                           .variable = "EXACT"},
                  .set = set_flag<&JobOptions::exact>},
       .commands = kSrun},
      {.option = {.info = {.name = "whole",
                           .help = "Take all of the job's CPUs on the step's nodes",
                           .variable = "WHOLE"},
                  .set = set_whole},
       .commands = kSrun},
  };
  return kRows;
}

std::span<const JobOption> bcast_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "bcast",
                           .takes = Takes::Maybe,
                           .argument = "PATH",
                           .help = "Copy the program to the nodes first and start the copy",
                           .variable = "BCAST"},
                  .set = set_bcast},
       .commands = kSrun},
      {.option = {.info = {.name = "bcast-exclude",
                           .takes = Takes::Value,
                           .argument = "PATH,...",
                           .help = "Copy no libraries from these folders",
                           .variable = "BCAST_EXCLUDE"},
                  .set = set_bcast_exclude},
       .commands = kSrun},
      {.option = {.info = {.name = "compress",
                           .takes = Takes::Maybe,
                           .argument = "LIBRARY",
                           .help = "Compress what --bcast copies: lz4 or none",
                           .variable = "COMPRESS"},
                  .set = set_compress},
       .commands = kSrun},
      {.option = {.info = {.name = "send-libs",
                           .takes = Takes::Maybe,
                           .argument = "yes|no",
                           .help = "Copy the program's libraries with --bcast, too",
                           .variable = "SEND_LIBS"},
                  .set = set_send_libs},
       .commands = kSrun},
  };
  return kRows;
}

std::span<const JobOption> launch_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "multi-prog",
                           .help = "The program is a file that tells what each task runs"},
                  .set = set_flag<&JobOptions::multi_prog>},
       .commands = kSrun},
      {.option = {.info = {.name = "mpi",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "How MPI programs find each other: none, pmi1 or pmi2 (MPICH), "
                                   "pmix (Open MPI); list shows what there is",
                           .variable = "MPI_TYPE"},
                  .set = set_mpi},
       .commands = kSrun},
      {.option = {.info = {.name = "external-launcher",
                           .help = "For MPI's own launchers: shares CPUs with other steps"},
                  .set = set_flag<&JobOptions::external_launcher>},
       .commands = kSrun},
      {.option = {.info = {.name = "disable-status",
                           .letter = 'X',
                           .help = "One Ctrl-C goes to the tasks, no status is shown",
                           .variable = "DISABLE_STATUS"},
                  .set = set_flag<&JobOptions::disable_status>},
       .commands = kSrun},
      {.option = {.info = {.name = "wait",
                           .letter = 'W',
                           .takes = Takes::Value,
                           .argument = "SECONDS",
                           .help = "End the step so long after its first task; 0: never",
                           .variable = "WAIT"},
                  .set = set_wait},
       .commands = kSrun},
      {.option = {.info = {.name = "async",
                           .help = "Return when the step has begun; it goes on by itself, and its "
                                   "output to slurm-JOB.STEP.out. swait waits for it"},
                  .set = set_flag<&JobOptions::async>},
       .commands = kSrun},
      {.option = {.info = {.name = "wait-for-children",
                           .help = "The step is over when no process of it is left, not with its "
                                   "tasks",
                           .variable = "WAIT_FOR_CHILDREN"},
                  .set = set_flag<&JobOptions::wait_for_children>},
       .commands = kSrun},
      {.option = {.info = {.name = "quit-on-interrupt",
                           .help = "One Ctrl-C ends the step",
                           .variable = "QUIT_ON_INTERRUPT"},
                  .set = set_flag<&JobOptions::quit_on_interrupt>},
       .commands = kSrun},
      {.option = {.info = {.name = "ignore-signals",
                           .takes = Takes::Value,
                           .argument = "SIGNAL,...",
                           .help = "Signals to srun that are not passed on to the tasks"},
                  .set = set_ignored_signals},
       .commands = kSrun},
      {.option = {.info = {.name = "preserve-env",
                           .letter = 'E',
                           .help = "The tasks see the numbers of nodes and tasks that srun sees",
                           .variable = "PRESERVE_ENV"},
                  .set = set_flag<&JobOptions::preserve_env>},
       .commands = kSrun},
  };
  return kRows;
}

std::span<const JobOption> special_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "relative",
                           .letter = 'r',
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "The step begins at this node of the job, from 0 on"},
                  .set = set_relative},
       .commands = kSrun},
      {.option = {.info = {.name = "resv-ports",
                           .takes = Takes::Maybe,
                           .argument = "N",
                           .help =
                               "Ports for the step on each of its nodes, of MpiParams=ports: so "
                               "many, or one for each task; SLURM_STEP_RESV_PORTS",
                           .variable = "RESV_PORTS"},
                  .set = set_reserved_ports}},
      {.option = {.info = {.name = "accel-bind",
                           .takes = Takes::Value,
                           .argument = "g|n|v",
                           .help = "g: each task sees the GPUs that are closest to its CPUs; "
                                   "the former form of --gpu-bind",
                           .variable = "ACCEL_BIND"},
                  .set = set_accel_bind},
       .commands = kSrun},
      {.option = {.info = {.name = "het-group",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Components of the heterogeneous job around that the tasks run "
                                   "in: 0,2 or 0-2"},
                  .set = set_het_group},
       .commands = kSrun},
      {.option = {.info = {.name = "no-allocate",
                           .letter = 'Z',
                           .help = "Refused: steps run within allocations only"},
                  .set = refuse_no_allocate},
       .commands = kSrun},
      {.option = {.info = {.name = "treewidth",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Taken, without effect",
                           .hidden = true},
                  .set = accept},
       .commands = kSrun},
      {.option = {.info = {.name = "slurmd-debug",
                           .takes = Takes::Value,
                           .argument = "LEVEL",
                           .help = "Taken, without effect",
                           .hidden = true},
                  .set = accept},
       .commands = kSrun},
      {.option = {.info = {.name = "msg-timeout",
                           .takes = Takes::Value,
                           .argument = "SECONDS",
                           .help = "Taken, without effect",
                           .hidden = true},
                  .set = accept},
       .commands = kSrun},
      {.option = {.info = {.name = "threads",
                           .letter = 'T',
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Taken, without effect",
                           .hidden = true},
                  .set = accept},
       .commands = kSrun},
  };
  return kRows;
}

}  // namespace

void add_run_options(std::vector<JobOption>& table) {
  table.insert(table.end(), batch_rows().begin(), batch_rows().end());
  table.insert(table.end(), task_rows().begin(), task_rows().end());
  table.insert(table.end(), launch_rows().begin(), launch_rows().end());
  table.insert(table.end(), special_rows().begin(), special_rows().end());
  table.insert(table.end(), bcast_rows().begin(), bcast_rows().end());
}

}  // namespace ym::cli
