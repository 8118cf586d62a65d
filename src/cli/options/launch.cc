// SPDX-License-Identifier: Apache-2.0
// What a task finds when it comes to life: its folder, environment and limits; and what runs
// around it.
#include <utility>

#include "cli/options/setters.h"
#include "notation/acct_frequency.h"
#include "notation/limit_names.h"

namespace ym::cli {
namespace {

constexpr std::size_t kSecondsDigitsMax = 6;

// [TIMEOUT][MODE]: seconds, then S or L.
Status set_get_user_env(JobOptions& options, std::string_view value) {
  std::string_view digits = value;
  if (digits.ends_with('S') || digits.ends_with('L')) digits.remove_suffix(1);
  bool number = digits.size() <= kSecondsDigitsMax;
  for (char c : digits) number = number && c >= '0' && c <= '9';
  if (!number) return fail("neither seconds nor a mode (S or L), nor both");
  options.extras.get_user_env = value.empty() ? "1" : std::string(value);
  return {};
}
// salloc's command has salloc's environment.
Status check_get_user_env(JobOptions&, std::string_view value) {
  JobOptions nobodys;
  return set_get_user_env(nobodys, value);
}

Status set_propagate(JobOptions& options, std::string_view value) {
  std::string_view list = value.empty() ? "ALL" : value;
  if (auto names = parse_limit_names(list); !names)
    return fail(kWholeTextOne, fmt::format("Bad rlimit name: {0}\n--propagate={0} is not valid.",
                                           printable(value)));
  options.propagate = list;
  return {};
}

Status set_acct_frequency(JobOptions& options, std::string_view value) {
  if (auto known = parse_acct_frequency(value); !known)
    return fail(kWholeText,
                fmt::format("Invalid --acctg-freq specification: {}", printable(value)));
  options.extras.acct_frequency = value;
  return {};
}

Status set_profile(JobOptions& options, std::string_view value) {
  bool known = !value.empty();
  for (std::string_view word : split(value, ',')) {
    bool one = false;
    for (std::string_view name : {"all", "none", "energy", "task", "lustre", "network"})
      one = one || same_ignoring_case(word, name);
    known = known && one;
  }
  if (!known) return fail(kWholeText, fmt::format("invalid --profile={} option", printable(value)));
  options.specials.profile = value;
  return {};
}

Status set_x11(JobOptions& options, std::string_view value) {
  constexpr std::pair<std::string_view, X11Where> kWords[] = {{"all", X11Where::All},
                                                              {"batch", X11Where::Batch},
                                                              {"first", X11Where::First},
                                                              {"last", X11Where::Last}};
  if (value.empty()) value = "all";
  for (const auto& [word, where] : kWords) {
    if (!same_ignoring_case(value, word)) continue;
    options.x11 = where;
    return {};
  }
  return fail(kWholeText, "Invalid --x11 specification");
}

std::span<const JobOption> environment_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "chdir",
                           .letter = 'D',
                           .takes = Takes::Value,
                           .argument = "FOLDER",
                           .help = "Working directory",
                           .variable = ""},
                  .set = set_text<&JobOptions::chdir>},
       .srun_variable = "SLURM_WORKING_DIR",
       .srun_other = "SLURM_REMOTE_CWD"},
      {.option = {.info = {.name = "export",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Environment: ALL, NONE, NIL, or variables, NAME or NAME=VALUE",
                           .variable = "EXPORT"},
                  .set = set_text<&JobOptions::export_list>},
       .commands = kSbatch | kSrun,
       .srun_variable = "SRUN_EXPORT_ENV",
       .srun_other = "SLURM_EXPORT_ENV"},
      {.option = {.info = {.name = "export-file",
                           .takes = Takes::Value,
                           .argument = "FILE|FD",
                           .help = "More variables from a file, NAME=VALUE, each ended by NUL"},
                  .set = set_text<&JobOptions::export_file>},
       .commands = kSbatch},
      {.option = {.info = {.name = "get-user-env",
                           .takes = Takes::Maybe,
                           .argument = "[SECONDS][S|L]",
                           .help = "Also what a fresh login on the node would have",
                           .variable = "GET_USER_ENV"},
                  .set = set_get_user_env},
       .commands = kSbatch},
      {.option = {.info = {.name = "get-user-env",
                           .takes = Takes::Maybe,
                           .argument = "[SECONDS][S|L]",
                           .help = "Taken, without effect: the command has salloc's environment"},
                  .set = check_get_user_env},
       .commands = kSalloc},
      {.option = {.info = {.name = "x11",
                           .takes = Takes::Maybe,
                           .argument = "all|first|last|batch",
                           .help = "X programs on these nodes of the job appear on this display; "
                                   "needs PrologFlags=X11"},
                  .set = set_x11}},
  };
  return kRows;
}

std::span<const JobOption> task_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "propagate",
                           .takes = Takes::Maybe,
                           .argument = "LIMITS",
                           .help = "Resource limits to hand on: ALL, NONE, or names like NOFILE"},
                  .set = set_propagate},
       .srun_variable = "SLURM_PROPAGATE"},
      {.option = {.info = {.name = "acctg-freq",
                           .takes = Takes::Value,
                           .argument = "task=SECONDS",
                           .help = "How often what tasks use is measured; 0: only at their end",
                           .variable = "ACCTG_FREQ"},
                  .set = set_acct_frequency}},
      {.option = {.info = {.name = "profile",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Detailed data of energy, task, lustre, network, all or none; "
                                   "AcctGatherProfileType says where to: nowhere",
                           .variable = "PROFILE"},
                  .set = set_profile}},
      {.option = {.info = {.name = "task-prolog",
                           .takes = Takes::Value,
                           .argument = "PROGRAM",
                           .help = "Run this on the node before each task; it may export variables",
                           .variable = "TASK_PROLOG"},
                  .set = set_text<&JobOptions::task_prolog>},
       .commands = kSrun},
      {.option = {.info = {.name = "task-epilog",
                           .takes = Takes::Value,
                           .argument = "PROGRAM",
                           .help = "Run this on the node after each task",
                           .variable = "TASK_EPILOG"},
                  .set = set_text<&JobOptions::task_epilog>},
       .commands = kSrun},
      {.option = {.info = {.name = "prolog",
                           .takes = Takes::Value,
                           .argument = "PROGRAM|none",
                           .help = "srun itself runs this before the step, with its command as "
                                   "arguments",
                           .variable = "PROLOG"},
                  .set = set_text<&JobOptions::srun_prolog>},
       .commands = kSrun},
      {.option = {.info = {.name = "epilog",
                           .takes = Takes::Value,
                           .argument = "PROGRAM|none",
                           .help = "srun itself runs this after the step, with its command as "
                                   "arguments",
                           .variable = "EPILOG"},
                  .set = set_text<&JobOptions::srun_epilog>},
       .commands = kSrun},
  };
  return kRows;
}

}  // namespace

void add_launch_options(std::vector<JobOption>& table) {
  table.insert(table.end(), environment_rows().begin(), environment_rows().end());
  table.insert(table.end(), task_rows().begin(), task_rows().end());
}

}  // namespace ym::cli
