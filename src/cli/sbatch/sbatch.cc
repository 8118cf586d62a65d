// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/sbatch.h"

#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/allocation.h"
#include "cli/common/controller.h"
#include "cli/common/limits.h"
#include "cli/common/local.h"
#include "cli/common/watch.h"
#include "cli/common/world.h"
#include "cli/common/x11_forward.h"
#include "cli/options/components.h"
#include "cli/options/exports.h"
#include "cli/options/refusal.h"
#include "cli/sbatch/foreign.h"
#include "cli/sbatch/script.h"
#include "model/x11_messages.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kBadLine = 0x59000020;  // an option of the script is unknown

struct BatchScript {
  std::string text;
  std::string path;  // absolute; empty for stdin and --wrap
  std::string name;  // of the job, unless told
};

// As the shell finds programs: here first, then in PATH.
std::string find_script(const std::string& name, const std::string& work_dir) {
  if (name.starts_with('/')) return name;
  std::string here = work_dir + "/" + name;
  if (name.find('/') != std::string::npos || ::access(here.c_str(), R_OK) == 0) return here;
  std::string path = environment_variable("PATH").value_or("");
  for (std::string_view folder : split_words(path, ':')) {
    std::string candidate = fmt::format("{}/{}", folder, name);
    if (::access(candidate.c_str(), R_OK) == 0) return candidate;
  }
  return here;
}

Result<BatchScript> read_script(const std::vector<std::string>& operands, const JobOptions& options,
                                const std::string& work_dir) {
  if (options.wrap_given) {
    if (!operands.empty()) return fail("Script arguments not permitted with --wrap option");
    return BatchScript{
        .text = "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n" + options.wrap + "\n",
        .name = "wrap"};
  }
  if (operands.empty()) {
    auto text = read_descriptor(STDIN_FILENO, "standard input", kScriptMax + 1);
    if (!text) return std::unexpected(text.error());
    return BatchScript{.text = std::move(*text), .name = "sbatch"};
  }
  std::string path = find_script(operands[0], work_dir);
  // Not opened anew: the file behind it may belong to somebody else.
  auto text = path == "/dev/stdin" ? read_descriptor(STDIN_FILENO, path, kScriptMax + 1)
                                   : read_file(path, kScriptMax + 1);
  if (!text) return fail(fmt::format("Unable to open file {}", operands[0]));
  return BatchScript{
      .text = std::move(*text), .path = path, .name = path.substr(path.rfind('/') + 1)};
}

int wait_for_end(Controller& controller, JobId job) {
  JobWatcher watcher(controller, {.job = job, .until_end = true});
  auto row = wait_for_job(watcher, [] { return false; });
  if (!row) {
    complain("sbatch", fmt::format("Waiting for job {}: {}", job.value, row.error().text));
    return 1;
  }
  const Job& ended = (*row)->job;
  if (ended.exit.signal) return 1;
  if (ended.exit.code == 0 && ended.state != JobState::Completed) return 1;
  return ended.exit.code;
}

int tell_failure(const SubmitJob& request, const Error& error, const Controller& controller) {
  tell_before_refusal(kSbatch, error, request, controller);
  std::string text = submission_error(error, request.spec.name);
  if (request.test_only) {
    print_error(fmt::format("allocation failure: {}\n", text));
    return 1;
  }
  return tell_refusal(kSbatch, {.code = kLikeController, .text = text});
}

// --x11
Status add_display(EnvironmentBlock& environment, const JobOptions& options,
                   const std::string& host) {
  for (const char* of_another : {kX11TargetVariable, kX11CookieVariable})
    environment.remove(of_another);
  if (!options.x11) return {};
  if (*options.x11 == X11Where::Last)
    return fail(kWholeTextOne, "--x11=last: only the node of the script has a display");
  auto display = own_display();
  if (!display) return std::unexpected(display.error());
  auto variables = batch_display(*display, host);
  if (!variables) return std::unexpected(variables.error());
  for (const auto& [name, value] : *variables) environment.set(name, value);
  return {};
}

int submit(Result<Controller>& controller, const JobOptions& options, SubmitJob request) {
  if (!controller) {
    complain("sbatch", controller.error().text);
    return 1;
  }
  if (Status fine = check_against(options, controller->config()); !fine)
    return tell_refusal(kSbatch, fine.error());
  if (std::string text = what_is_ignored(options, controller->config()); !text.empty())
    complain("sbatch", text);
  for (const std::string& warning : submission_warnings(options)) remark("sbatch", warning);
  auto limits = own_limits(options, controller->config());
  if (!limits) {
    complain("sbatch", limits.error().text);
    return 1;
  }
  EnvironmentBlock environment(request.environment);
  add_limits(environment, *limits);
  if (Status shown = add_display(environment, options, request.spec.submit_host); !shown)
    return tell_refusal(kSbatch, shown.error());
  request.environment = environment.bytes();
  auto answer = controller->submit(request);
  if (!answer) return tell_failure(request, answer.error(), *controller);
  if (!answer->warning.empty()) remark("sbatch", answer->warning);
  if (request.test_only) {
    remark("sbatch", expectation(*answer));
    return 0;
  }
  if (options.parsable)
    print(fmt::format("{}{}\n", answer->job.value,
                      options.clusters.empty() ? "" : ";" + controller->config().cluster_name));
  else if (!options.quiet)
    print(fmt::format("Submitted batch job {}\n", answer->job.value));
  return options.wait ? wait_for_end(*controller, answer->job) : 0;
}

// Of the line, the environment or the script: the code is the exit code, but for an unknown option.
int tell_bad_options(const Error& error) {
  if (error.code == kBadLine) {
    remark("sbatch", with_hint("sbatch", error.text));
    return kBadLineExit;
  }
  if (error.code == kForeignOption) {
    remark("sbatch", error.text);
    complain("sbatch", "Unrecognized command line parameter ?");
    if (complaints_are_read())
      complain("sbatch", "It stands on a #PBS or #BSUB line; --ignore-pbs leaves them out");
    return 1;
  }
  complain("sbatch", error.text);
  return error.code ? static_cast<int>(error.code) : 1;
}

}  // namespace

CommandPage sbatch_page() {
  return {
      .name = "sbatch",
      .summary = "submit a batch script",
      .usage = {"[OPTION]... [SCRIPT [ARGUMENT]...]"},
      .description =
          "Hands the script to the controller and returns at once with the number of the job. The "
          "script is\n"
          "copied: it may change afterwards. It is read from standard input if no file is "
          "named.\n\n"
          "Options may stand in the head of the script, on lines that begin with #SBATCH, before "
          "the first\n"
          "command. Those on the command line count most, then the environment, then the "
          "script.\n\n"
          "Lines of other batch systems are read, too, anywhere in the script, unless "
          "--ignore-pbs is given;\n"
          "what they say counts more than #SBATCH lines. Of #PBS lines -A, -a, -e, -h, -J, -l, "
          "-M, -m,\n"
          "-N, -o, -p (as --nice), -q, -t, -v, -W depend= and -W umask= count; of -l: "
          "walltime, cput,\n"
          "nodes (with ppn and gpus), select, ncpus, mpiprocs, mem, file, nice, accelerator, "
          "naccelerators\n"
          "and proc. Of #BSUB lines -c or -cwd, -e, -J, -M, -m, -n, -o, -q, -W and -x "
          "count.\n\n"
          "A heterogeneous job has several components with options of their own, which start "
          "together:\n"
          "sbatch -n1 -c8 : -n64 SCRIPT. In the script, a line \"#SBATCH hetjob\" stands between "
          "them.",
      .refusals = Refusals::Slurm};
}

namespace {

// --ignore-pbs may stand in the script, in the environment and on the line, too, of which the last
// two count later.
bool reads_foreign(const JobOptions& by_script, const std::vector<GivenOption>& line) {
  const auto& [table, set] = known_job_options(kSbatch);
  JobOptions later;
  // Whoever asks for something wrong is told so when it counts.
  static_cast<void>(apply_environment(table, later));
  static_cast<void>(apply_given(set, table, line, later));
  return !by_script.ignore_pbs && !later.ignore_pbs;
}

Status apply_foreign(std::string_view script, JobOptions& options) {
  auto foreign = foreign_lines(script);
  if (!foreign) return std::unexpected(foreign.error());
  const auto& [table, set] = known_job_options(kSbatch);
  auto given = set.parse(foreign->words, Operands::Mix);
  if (!given) return fail(kBadLine, given.error().text);
  if (Status done = apply_given(set, table, given->options, options); !done) return done;
  for (const std::string& variables : foreign->variables)
    options.export_list += (options.export_list.empty() ? "" : ",") + variables;
  if (foreign->umask) options.umask = foreign->umask;
  return {};
}

}  // namespace

Status apply_batch_options(std::string_view script, const std::vector<GivenOption>& line,
                           JobOptions& options) {
  auto components = script_components(script);
  if (!components) return fail(fmt::format("#SBATCH {}", components.error().text));
  return apply_batch_options(components->front(), script, line, options);
}

Status apply_batch_options(const std::vector<std::string>& words, std::string_view script,
                           const std::vector<GivenOption>& line, JobOptions& options) {
  const auto& [table, set] = known_job_options(kSbatch);
  auto in_script = set.parse(words, Operands::Mix);
  if (!in_script) return fail(kBadLine, in_script.error().text);
  if (!in_script->operands.empty())
    return fail(kWholeText, fmt::format("Invalid directive found in batch script: {}",
                                        printable(in_script->operands[0])));
  options.source = OptionSource::Script;
  if (Status done = apply_given(set, table, in_script->options, options); !done) return done;
  if (has_foreign_lines(script) && reads_foreign(options, line))
    if (Status done = apply_foreign(script, options); !done) return done;
  if (Status done = apply_environment(table, options); !done) return done;
  return apply_given(set, table, line, options);
}

namespace {

// What the script and the line say of each component.
Result<std::vector<JobOptions>> settle_components(const BatchScript& script,
                                                  std::vector<Arguments> lines) {
  auto scripts = script_components(script.text);
  if (!scripts) return fail(fmt::format("#SBATCH {}", scripts.error().text));
  std::size_t count = std::max(lines.size(), scripts->size());
  std::vector<Arguments> in_script = complete_components(kSbatch, std::move(*scripts), count);
  lines = complete_components(kSbatch, std::move(lines), count);
  const auto& [table, set] = known_job_options(kSbatch);
  std::vector<JobOptions> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto line = set.parse(lines[i], Operands::EndOptions);
    if (!line) return fail(kBadLine, line.error().text);
    // Other batch systems know nothing of components.
    std::string_view text = i == 0 ? script.text : std::string_view{};
    if (Status applied = apply_batch_options(in_script[i], text, line->options, out[i]); !applied)
      return std::unexpected(applied.error());
  }
  return out;
}

}  // namespace

int sbatch_main(const Arguments& arguments) {
  std::vector<Arguments> lines = split_components(kSbatch, arguments);
  auto first =
      parse_command(sbatch_page(), known_job_options(kSbatch), lines.front(), Operands::EndOptions);
  if (first.exit_code) return *first.exit_code;
  if (!first.settings.answer.empty()) {
    print(first.settings.answer);
    return 0;
  }
  auto last = lines.size() == 1 ? first
                                : parse_command(sbatch_page(), known_job_options(kSbatch),
                                                lines.back(), Operands::EndOptions);
  if (last.exit_code) return *last.exit_code;
  auto controller = Controller::open();
  if (controller) controller->greet();
  SubmissionContext context = submission_context(kSbatch, arguments);
  auto refuse_with = [](const Error& error) { return tell_refusal(kSbatch, error); };
  const JobOptions& wrapping = first.settings.wrap_given ? first.settings : last.settings;
  auto script = read_script(last.operands, wrapping, context.work_dir);
  if (!script) return refuse_with(script.error());
  if (Status fine = check_script(script->text); !fine) return refuse_with(fine.error());
  auto components = settle_components(*script, std::move(lines));
  if (!components) return tell_bad_options(components.error());
  for (JobOptions& options : *components) {
    if (Status settled = settle_outside(options); !settled) return refuse_with(settled.error());
    if (options.spec.name.empty()) options.spec.name = script->name;
    options.spec.command = script->path;
    if (!last.operands.empty())
      options.extras.arguments.assign(last.operands.begin() + 1, last.operands.end());
  }
  auto request = make_submission(*components, context);
  if (!request) return refuse_with(request.error());
  request->script = std::move(script->text);
  return submit(controller, components->front(), std::move(*request));
}

}  // namespace ym::cli
