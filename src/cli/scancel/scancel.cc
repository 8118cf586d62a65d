// SPDX-License-Identifier: Apache-2.0
#include "cli/scancel/scancel.h"

#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"

namespace ym::cli {
namespace {

// A line from the terminal, without its end; nothing at the end of the input.
std::optional<std::string> read_line() {
  std::string line;
  for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1;) {
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

// Asks until the answer is yes or no; the end of the input is a no. The step is what was named of
// the job, if one was.
bool asks_and_hears_yes(const JobRow& row, const std::optional<StepId>& step) {
  std::string id = display_id(row.job);
  if (step) id += "." + step_name(*step);
  while (true) {
    print(fmt::format("Cancel {}_id={} name={} partition={} [y/n]? ", step ? "step" : "job", id,
                      row.job.spec->name, row.partition));
    auto answer = read_line();
    if (!answer || answer->starts_with('n') || answer->starts_with('N')) return false;
    if (answer->starts_with('y') || answer->starts_with('Y')) return true;
  }
}

// The jobs that are left where the controller's own filter does not suffice: those of a
// reservation or a wckey, those that the user says yes to.
Result<std::vector<JobTarget>> chosen_jobs(Controller& controller, const ScancelSettings& settings,
                                           const JobFilter& filter) {
  std::vector<JobRow> rows;
  Status asked = controller.ask_many<JobRows>(
      QueryJobs{.filter = filter},
      [&rows](JobRows&& some) {
        for (JobRow& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
  if (!asked) return std::unexpected(asked.error());
  // A request is about jobs, or about one step.
  const auto& named = filter.targets;
  auto step = named.size() == 1 ? named[0].step : std::optional<StepId>();
  std::vector<JobTarget> out;
  for (const JobRow& row : rows) {
    const JobExtras& extras = *row.job.spec->extras;
    if (!settings.reservation.empty() && extras.reservation != settings.reservation) continue;
    if (!settings.wckey.empty() && extras.wckey != settings.wckey) continue;
    if (settings.interactive && !asks_and_hears_yes(row, step)) continue;
    // Of the job, what was named: a step, or some elements of an array that wait together.
    bool whole = true;
    for (const JobTarget& target : filter.targets) {
      bool of_array = row.job.array && target.tasks && target.job == row.job.id;
      if (!of_array && !target.step) continue;
      out.push_back({.job = row.job.id, .step = target.step});
      if (of_array) out.back().tasks = target.tasks;
      whole = false;
    }
    if (whole) out.push_back({.job = row.job.id});
  }
  return out;
}

// The cluster must be this one.
Status check_cluster(const ScancelSettings& settings, const std::string& cluster) {
  if (!settings.cluster.empty() && settings.cluster != cluster)
    return fail(
        fmt::format("'{}' can't be reached now, or it is an invalid entry for --cluster.  "
                    "Use 'sacctmgr list clusters' to see available clusters.",
                    printable(settings.cluster)));
  return {};
}

// What the users shall read about it is with the jobs before they end. Whoever may not write it
// ends nothing either.
Status leave_comment(Controller& controller, const ScancelSettings& settings,
                     const JobFilter& filter) {
  AlterJobs note{.verb = JobVerb::Update, .filter = filter};
  note.patch.admin_comment = *settings.admin_comment;
  auto answer = controller.ask<AlterAnswer>(note, Asking::Repeatable);
  if (!answer) return std::unexpected(answer.error());
  for (const JobOutcome& outcome : answer->outcomes) {
    Error error{.code = outcome.code, .text = outcome.text};
    if (is(error, Errc::AccessDenied) || is(error, Errc::InvalidUserId))
      return std::unexpected(error);
  }
  return {};
}

// One request: what it says, and the exit code.
int send(Controller& controller, const ScancelSettings& settings, const AlterJobs& request) {
  for (const std::string& text : announcements(settings, request)) remark("scancel", text);
  // Who is cancelled twice is cancelled; a signal must not come twice.
  bool signal = request.verb == JobVerb::Signal;
  auto answer = controller.ask<AlterAnswer>(request, signal ? Asking::Keyed : Asking::Repeatable);
  if (!answer) {
    if (is(answer.error(), Errc::InvalidJobId)) return 0;
    complain("scancel", answer.error().text);
    return 1;
  }
  CancelReport report = report_of(*answer, settings, request);
  for (const std::string& text : report.remarks) remark("scancel", text);
  for (const std::string& text : report.complaints) complain("scancel", text);
  return report.exit_code;
}

int cancel(ScancelSettings& settings, std::vector<JobTarget> targets) {
  auto controller = Controller::open();
  if (!controller) {
    complain("scancel", controller.error().text);
    return 1;
  }
  if (Status known = check_cluster(settings, controller->config().cluster_name); !known) {
    complain("scancel", known.error().text);
    return 1;
  }
  int code = 0;
  for (AlterJobs& request : scancel_requests(settings, std::move(targets))) {
    if (settings.interactive || !settings.reservation.empty() || !settings.wckey.empty()) {
      auto chosen = chosen_jobs(*controller, settings, request.filter);
      if (!chosen) {
        bool one = is(chosen.error(), Errc::InvalidJobId) && request.filter.targets.size() == 1;
        complain("scancel",
                 one ? fmt::format("Kill job error on job id {}: {}",
                                   request.filter.targets[0].job.value, chosen.error().text)
                     : chosen.error().text);
        return 1;
      }
      if (chosen->empty()) continue;
      request.filter = {.targets = std::move(*chosen)};
    }
    if (settings.admin_comment)
      if (Status left = leave_comment(*controller, settings, request.filter);
          !left && !is(left.error(), Errc::InvalidJobId)) {
        complain("scancel", fmt::format("AdminComment: {}", left.error().text));
        return 1;
      }
    code = std::max(code, send(*controller, settings, request));
  }
  return code;
}

}  // namespace

bool ScancelSettings::has_filter() const {
  return !users.empty() || !partitions.empty() || !accounts.empty() || !qos.empty() ||
         !names.empty() || !nodes.empty() || !reservation.empty() || !wckey.empty() ||
         states.given();
}

std::vector<AlterJobs> scancel_requests(const ScancelSettings& settings,
                                        std::vector<JobTarget> targets) {
  AlterJobs all{.verb = JobVerb::Cancel,
                .filter = {.targets = {},
                           .users = settings.users,
                           .partitions = settings.partitions,
                           .accounts = settings.accounts,
                           .qos = settings.qos,
                           .names = settings.names,
                           .nodes = settings.nodes},
                .signal = settings.signal,
                .batch_only = settings.batch,
                .whole_job = settings.full,
                .cron = settings.cron};
  settings.states.put_into(all.filter);
  auto request = [&](std::vector<JobTarget> some, bool step) {
    AlterJobs out = all;
    out.filter.targets = std::move(some);
    bool by_signal = settings.signal != 0 && (settings.signal != 9 || step);
    if (by_signal || settings.batch) out.verb = JobVerb::Signal;
    if (out.verb == JobVerb::Signal && out.signal == 0) out.signal = 15;
    return out;
  };
  std::vector<AlterJobs> out;
  std::vector<JobTarget> jobs;
  for (const JobTarget& target : targets)
    if (!target.step) jobs.push_back(target);
  if (!jobs.empty() || targets.empty()) out.push_back(request(std::move(jobs), false));
  for (JobTarget& target : targets)
    if (target.step) out.push_back(request({std::move(target)}, true));
  return out;
}

namespace {

// As the user has written it; a job by its sluid has no number yet.
std::string shown_target(const JobTarget& target) {
  std::string text = fmt::format("{}", target.job.value);
  if (target.tasks) {
    std::string tasks = target.tasks->str();
    bool one = tasks.find_first_not_of("0123456789") == tasks.npos;
    text += one ? "_" + tasks : fmt::format("_[{}]", tasks);
  }
  if (target.component) text += fmt::format("+{}", *target.component);
  return target.step ? fmt::format("{}.{}", text, step_name(*target.step)) : text;
}

const JobTarget* only_step(const AlterJobs& request) {
  const auto& targets = request.filter.targets;
  return targets.size() == 1 && targets[0].step ? targets.data() : nullptr;
}

// What is done to a job of this name, or to a step.
std::string deed(const AlterJobs& request, std::string_view name) {
  std::string_view kind = only_step(request) ? "step" : request.batch_only ? "batch job" : "job";
  if (request.verb == JobVerb::Cancel) return fmt::format("Terminating {} {}", kind, name);
  return fmt::format("Signal {} to {} {}", request.signal, kind, name);
}

// Those that are ended by their ids alone are announced before the controller is asked. Of others
// its answer tells which they are.
bool is_announced(const ScancelSettings& settings, const AlterJobs& request) {
  return request.verb == JobVerb::Cancel && !settings.has_filter() &&
         !request.filter.targets.empty() && !only_step(request);
}

std::string filters_text(const ScancelSettings& settings) {
  std::string out;
  auto add = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {}={}", name, printable(value));
  };
  std::vector<std::string> states;
  for (JobState state : settings.states.states) states.emplace_back(name_of(state));
  add("account", join(settings.accounts, ","));
  add("job_name", join(settings.names, ","));
  add("nodelist", settings.nodes);
  add("partition", join(settings.partitions, ","));
  add("qos", join(settings.qos, ","));
  add("reservation", settings.reservation);
  add("state", join(states, ","));
  add("user_name", join(settings.users, ","));
  add("wckey", settings.wckey);
  return out;
}

bool is_gone(const JobOutcome& outcome) {
  Error error{.code = outcome.code, .text = outcome.text};
  return is(error, Errc::AlreadyDone) || is(error, Errc::JobFinished);
}

// An element of an array that was named as a whole, and of which another element was there still.
bool goes_without_saying(const JobOutcome& outcome, const AlterAnswer& answer,
                         const AlterJobs& request) {
  std::string array = outcome.display.substr(0, outcome.display.find('_') + 1);
  bool named_whole = false, one_done = false;
  for (const JobTarget& target : request.filter.targets)
    named_whole = named_whole || (!target.tasks && fmt::format("{}_", target.job.value) == array);
  for (const JobOutcome& other : answer.outcomes)
    one_done = one_done || (other.code == 0 && other.display.starts_with(array));
  return !array.empty() && named_whole && one_done;
}

}  // namespace

std::vector<std::string> announcements(const ScancelSettings& settings, const AlterJobs& request) {
  std::vector<std::string> out;
  if (settings.verbose && is_announced(settings, request))
    for (const JobTarget& target : request.filter.targets)
      out.push_back(deed(request, shown_target(target)));
  return out;
}

CancelReport report_of(const AlterAnswer& answer, const ScancelSettings& settings,
                       const AlterJobs& request) {
  CancelReport out;
  const JobTarget* step = only_step(request);
  bool by_signal = request.verb == JobVerb::Signal;
  if (settings.verbose && settings.has_filter() && answer.outcomes.empty())
    out.complaints.push_back("No active jobs match ALL job filters, including:" +
                             filters_text(settings));
  for (const JobOutcome& outcome : answer.outcomes) {
    Error error{.code = outcome.code, .text = outcome.text};
    std::string name = outcome.display;
    if (step) name += "." + step_name(*step->step);
    bool unknown = is(error, Errc::InvalidJobId);
    if (settings.verbose && !unknown && !is_announced(settings, request))
      out.remarks.push_back(deed(request, name));
    if (outcome.code == 0 && outcome.text.empty()) continue;
    std::string text =
        fmt::format("Kill job error on job {}id {}: {}", step ? "step " : "", name, outcome.text);
    if (unknown && !by_signal && !step) {
      if (settings.verbose) out.complaints.push_back(text);
      continue;
    }
    // The job was over before we came: wanted or not, nothing is left to be done.
    if (is_gone(outcome)) {
      if (!settings.quiet && settings.verbose && !goes_without_saying(outcome, answer, request))
        out.complaints.push_back(text);
      continue;
    }
    out.complaints.push_back(text);
    // Slurm gives the lowest byte of the error's number: 210 for not the owner.
    bool denied = is(error, Errc::AccessDenied) || is(error, Errc::InvalidUserId);
    out.exit_code = denied ? static_cast<int>(outcome.code & 0xff) : 1;
  }
  return out;
}

int scancel_main(const Arguments& arguments) {
  auto parsed = parse_command(scancel_page(), scancel_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (!parsed.settings.refusal.empty()) {
    print_error(parsed.settings.refusal + "\n");
    return 1;
  }
  std::vector<JobTarget> targets;
  for (const std::string& operand : parsed.operands) {
    auto some = parse_targets(operand);
    if (!some) {
      complain("scancel", fmt::format("Invalid job id {}", printable(operand)));
      return 1;
    }
    targets.insert(targets.end(), some->begin(), some->end());
  }
  if (targets.empty() && !parsed.settings.has_filter()) {
    complain("scancel", "No job identification provided");
    return 1;
  }
  return cancel(parsed.settings, std::move(targets));
}

}  // namespace ym::cli
