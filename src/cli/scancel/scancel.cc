// SPDX-License-Identifier: Apache-2.0
#include "cli/scancel/scancel.h"

#include <unistd.h>

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

bool asks_and_hears_yes(const JobRow& row) {
  print(fmt::format("Cancel job_id={} name={} partition={} [y/n]? ", display_id(row.job),
                    row.job.spec->name, row.partition));
  auto answer = read_line();
  return answer && (answer->starts_with('y') || answer->starts_with('Y'));
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
  std::vector<JobTarget> out;
  for (const JobRow& row : rows) {
    const JobExtras& extras = *row.job.spec->extras;
    if (!settings.reservation.empty() && extras.reservation != settings.reservation) continue;
    if (!settings.wckey.empty() && extras.wckey != settings.wckey) continue;
    if (settings.interactive && !asks_and_hears_yes(row)) continue;
    out.push_back({.job = row.job.id});
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

int cancel(ScancelSettings& settings, std::vector<JobTarget> targets) {
  auto controller = Controller::open();
  if (!controller) {
    complain("scancel", controller.error().text);
    return 1;
  }
  AlterJobs request = scancel_request(settings, std::move(targets));
  if (Status known = check_cluster(settings, controller->config().cluster_name); !known) {
    complain("scancel", known.error().text);
    return 1;
  }
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
    if (chosen->empty()) return 0;
    request.filter = {.targets = std::move(*chosen)};
  }
  if (settings.verbose)
    for (const JobTarget& target : request.filter.targets)
      remark("scancel", fmt::format("Terminating job {}", target.job.value));
  if (settings.admin_comment)
    if (Status left = leave_comment(*controller, settings, request.filter);
        !left && !is(left.error(), Errc::InvalidJobId)) {
      complain("scancel", fmt::format("AdminComment: {}", left.error().text));
      return 1;
    }
  // Who is cancelled twice is cancelled; a signal must not come twice.
  bool signal = request.verb == JobVerb::Signal;
  auto answer = controller->ask<AlterAnswer>(request, signal ? Asking::Keyed : Asking::Repeatable);
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

}  // namespace

bool ScancelSettings::has_filter() const {
  return !users.empty() || !partitions.empty() || !accounts.empty() || !qos.empty() ||
         !names.empty() || !nodes.empty() || !reservation.empty() || !wckey.empty() ||
         states.given();
}

AlterJobs scancel_request(const ScancelSettings& settings, std::vector<JobTarget> targets) {
  bool any_step = false;
  for (const JobTarget& target : targets) any_step = any_step || target.step.has_value();
  bool by_signal = settings.signal != 0 && (settings.signal != 9 || settings.batch || any_step);
  AlterJobs out{.verb = by_signal || settings.batch ? JobVerb::Signal : JobVerb::Cancel,
                .filter = {.targets = std::move(targets),
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
  if (out.verb == JobVerb::Signal && out.signal == 0) out.signal = 15;
  settings.states.put_into(out.filter);
  return out;
}

CancelReport report_of(const AlterAnswer& answer, const ScancelSettings& settings,
                       const AlterJobs& request) {
  CancelReport out;
  const auto& targets = request.filter.targets;
  // "step id 7.0" where a step was named.
  auto named = [&](const JobOutcome& outcome) {
    for (const JobTarget& target : targets)
      if (target.step && target.job == outcome.job)
        return fmt::format("step id {}.{}", outcome.display, step_name(*target.step));
    return fmt::format("id {}", outcome.display);
  };
  for (const JobOutcome& outcome : answer.outcomes) {
    Error error{.code = outcome.code, .text = outcome.text};
    if (outcome.code == 0 && outcome.text.empty()) continue;
    std::string text = fmt::format("Kill job error on job {}: {}", named(outcome), outcome.text);
    bool by_signal = request.verb == JobVerb::Signal;
    if (is(error, Errc::InvalidJobId) && !by_signal && !named(outcome).starts_with("step")) {
      if (settings.verbose) out.complaints.push_back(text);
      continue;
    }
    // The job was over before we came: wanted or not, nothing is left to be done.
    bool gone = is(error, Errc::AlreadyDone) || is(error, Errc::JobFinished);
    if (gone) {
      if (!settings.quiet && settings.verbose) out.complaints.push_back(text);
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
