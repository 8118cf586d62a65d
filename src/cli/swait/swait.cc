// SPDX-License-Identifier: Apache-2.0
#include "cli/swait/swait.h"

#include <poll.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "cli/common/flags.h"
#include "cli/common/targets.h"
#include "os/clock.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

using Settings = SwaitSettings;

// How the wait went. Slurm's numbers; the last is our own.
constexpr int kDone = 0, kTooLate = 1, kTrouble = 2, kNoSuchStep = 3;
constexpr Duration kFirstPause{5}, kLongestPause{1000};

Status set_timeout(Settings& settings, std::string_view value) {
  auto seconds = parse_unsigned<std::uint32_t>(value);
  if (!seconds) return fail("not a number of seconds");
  settings.timeout_s = *seconds;
  return {};
}

bool is_regular(StepId step) {
  return step != kBatchStep && step != kExternStep && step != kInteractiveStep;
}

// "7.0", "7_3.0" or a SLUID; of the job around us if there is none.
Result<JobTarget> target_of(const std::vector<std::string>& operands) {
  if (operands.size() > 1) return fail("only one job or step can be waited for");
  std::string text =
      operands.empty() ? environment_variable("SLURM_JOB_SLUID").value_or("") : operands.front();
  if (text.empty()) text = environment_variable("SLURM_JOB_ID").value_or("");
  if (text.empty()) return fail("no job given, and SLURM_JOB_ID is not set");
  auto targets = parse_targets(text);
  if (!targets) return std::unexpected(targets.error());
  if (targets->size() != 1) return fail("only one job or step can be waited for");
  const JobTarget& one = targets->front();
  if (one.component || (one.tasks && one.tasks->count() != 1))
    return fail(fmt::format("{}: neither several elements nor components can be waited for",
                            printable(text)));
  if (one.step && !is_regular(*one.step))
    return fail(fmt::format("{} is not a regular step", printable(text)));
  return one;
}

Result<HistoryRow> ask(Controller& controller, const JobTarget& target) {
  QueryHistory question{.filter = {.targets = {target}, .all_states = true}};
  question.filter.targets.front().step.reset();
  std::vector<HistoryRow> rows;
  Status asked = controller.ask_many<HistoryRows>(
      question,
      [&](HistoryRows&& some) {
        for (HistoryRow& row : some.rows) rows.push_back(std::move(row));
      },
      [&] { rows.clear(); });
  if (!asked) return std::unexpected(asked.error());
  if (rows.empty()) return fail("Invalid job id specified");
  if (rows.size() > 1) return fail("the array has several elements: name one, as JOB_ELEMENT");
  return std::move(rows.front());
}

std::string line_of(const HistoryRow& row, const Step& step) {
  return fmt::format("StepId={}.{} code={}:{}{}\n", row.job.job.id.value, step.id.value,
                     step.worst.code, step.worst.signal,
                     step.out_of_memory ? " reason=OUT_OF_MEMORY" : "");
}

}  // namespace

CommandPage swait_page() {
  return {.name = "swait",
          .summary = "wait for the steps of a job",
          .usage = {"[OPTION]... [JOB[.STEP]]"},
          .description =
              "Returns when no step of the job runs, or when that one step has ended: for scripts "
              "that\n"
              "start steps with srun --async. Without a job, it is the one around.\n\n"
              "The exit code is 0 when the wait is over, 1 after --timeout, 2 if something is "
              "wrong, and 3 if\n"
              "there is no such step, or it has ended already: sacct knows more of it."};
}

std::vector<Option<SwaitSettings>> swait_table() {
  return {
      {{.name = "follow", .help = "Tell of each step that ends"},
       flag<&Settings::follow, Settings>},
      {{.name = "quiet", .letter = 'Q', .help = "Errors only"}, flag<&Settings::quiet, Settings>},
      {{.name = "timeout",
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "Give up after so long; 0: never"},
       set_timeout},
      {{.name = "verbose", .letter = 'v', .help = "Say what is done"}, add_verbose<Settings>}};
}

StepWait::Look StepWait::look(const HistoryRow& row) {
  Look out;
  std::set<StepId> alive;
  bool told = settings_.follow || only_;
  for (const StepRow& one : row.steps) {
    StepId id = one.step.id;
    if (!is_regular(id) || (only_ && id != *only_)) continue;
    if (!one.end)
      alive.insert(id);
    else if (alive_.contains(id) && told)
      out.text += line_of(row, one.step);
  }
  if (alive.empty()) {
    out.exit = only_ && first_ ? kNoSuchStep : kDone;
    if (!only_ && !first_)
      out.text += fmt::format("JobId={} steps drained\n", row.job.job.id.value);
  }
  first_ = false;
  alive_ = std::move(alive);
  if (settings_.quiet) out.text.clear();
  return out;
}

int swait_main(const Arguments& arguments) {
  auto parsed = parse_command(swait_page(), swait_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  auto fail_with = [](const std::string& text) {
    complain("swait", text);
    return kTrouble;
  };
  const Settings& settings = parsed.settings;
  if (settings.quiet && settings.verbose)
    return fail_with("--quiet and --verbose exclude each other");
  auto target = target_of(parsed.operands);
  if (!target) return fail_with(target.error().text);
  if (target->step && settings.follow) return fail_with("--follow is for all steps of a job");
  auto controller = Controller::open();
  if (!controller) return fail_with(controller.error().text);
  StepWait wait(settings, target->step);
  Duration began = monotonic_clock();
  for (Duration pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    auto row = ask(*controller, *target);
    if (!row) return fail_with(row.error().text);
    if (row->job.job.state == JobState::Pending)
      return fail_with(fmt::format("Job {} is still pending", row->job.job.id.value));
    StepWait::Look look = wait.look(*row);
    print(look.text);
    if (look.exit) return *look.exit;
    Duration left = std::chrono::seconds(settings.timeout_s) - (monotonic_clock() - began);
    if (settings.timeout_s && left <= Duration(0)) return kTooLate;
    Duration next = settings.timeout_s ? std::min(pause, left) : pause;
    ::poll(nullptr, 0, static_cast<int>(next.count()));
  }
}

}  // namespace ym::cli
