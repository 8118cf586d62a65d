// SPDX-License-Identifier: Apache-2.0
#include "cli/sacct/sacct.h"

#include <unistd.h>

#include <algorithm>

#include "cli/common/local.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

Instant midnight(Instant now) {
  CivilTime day = local_zone().to_local(now);
  day.hour = day.minute = day.second = 0;
  return local_zone().to_utc(day);
}

bool in_range(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
  return (!least || value >= least) && (!most || value <= most);
}

bool has_one(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::any_of(
      list, [&](const std::string& one) { return same_ignoring_case(one, value); });
}

// The job asked for each of them, alone or with others.
bool has_features(const std::string& constraint, const std::vector<std::string>& wanted) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= constraint.size();) {
    std::size_t end = std::min(constraint.find_first_of("&|,[]()*", at), constraint.size());
    words.emplace_back(trim(std::string_view(constraint).substr(at, end - at)));
    at = end + 1;
  }
  return std::ranges::all_of(wanted, [&](const std::string& one) { return has_one(words, one); });
}

// -C, -R, -W, -F, -x: what the job wished for, or why it waits.
bool wishes_fit(const SacctSettings& settings, const JobView& job) {
  const JobExtras& extras = job.extras();
  if (!settings.associations.empty()) return false;
  // Every job has this flag and no other, in Slurm's two spellings.
  if (!settings.flags.empty() && !has_one(settings.flags, "StartReceived") &&
      !has_one(settings.flags, "StartRecieved"))
    return false;
  if (!has_features(extras.features, settings.constraints)) return false;
  if (!settings.wckeys.empty() && !has_one(settings.wckeys, extras.wckey)) return false;
  return settings.reasons.empty() || has_one(settings.reasons, reason_of(job));
}

// What the controller's filter cannot say.
bool wanted(const SacctSettings& settings, const JobView& job) {
  if (settings.states.given() && !settings.states.holds(job.job())) return false;
  if (!settings.groups.empty()) {
    std::uint32_t gid = job.spec().gid.value;
    auto is = [&](const std::string& group) { return local_group(group) == gid; };
    if (std::ranges::none_of(settings.groups, is)) return false;
  }
  if (!wishes_fit(settings, job)) return false;
  std::uint32_t limit = time_limit_of(job).value_or(0);
  std::uint32_t limit_max = settings.limit_max_s ? settings.limit_max_s : settings.limit_min_s;
  return in_range(node_count_of(job), settings.nodes_min, settings.nodes_max) &&
         in_range(cpu_count_of(job), settings.cpus_min, settings.cpus_max) &&
         in_range(limit, settings.limit_min_s, limit_max);
}

// Targets that name elements or steps mean only those.
bool is_meant(const SacctSettings& settings, const Job& job, std::optional<StepId> step) {
  if (settings.targets.empty()) return true;
  return std::ranges::any_of(settings.targets, [&](const JobTarget& target) {
    if (target.sluid) return target.sluid == job.sluid;
    if (target.job != job.id && target.job != job.array_job && target.job != job.het_job)
      return false;
    if (target.tasks && !job.array && !target.tasks->contains(job.array_task)) return false;
    return !target.step || (step && *target.step == *step);
  });
}

// The job's lines, in order.
class Lines {
 public:
  Lines(const SacctSettings& settings, const QueryHistory& question, Instant now)
      : settings_(settings), question_(question), now_(now) {}

  template <class Visit>
  void visit(const HistoryRow& row, Visit&& visit) const {
    JobView view{.row = &row.job, .now = now_, .cluster = settings_.report.cluster};
    if (!wanted(settings_, view)) return;
    if (view.job().array && settings_.single_elements) {
      view.job().array->waiting.for_each([&](std::uint32_t task) {
        view.task = task;
        visit(line(view, row, nullptr));
      });
      return;
    }
    if (is_meant(settings_, view.job(), std::nullopt)) visit(line(view, row, nullptr));
    if (settings_.allocations_only) return;
    for (const StepRow& step : row.steps)
      if (is_meant(settings_, view.job(), step.step.id)) visit(line(view, row, &step));
  }
  SacctRow line(const JobView& view, const HistoryRow& row, const StepRow* step) const {
    return {.settings = &settings_,
            .job = view,
            .step = step,
            .steps = &row.steps,
            .cut = settings_.truncate,
            .since = question_.since,
            .until = question_.until};
  }

 private:
  const SacctSettings& settings_;
  const QueryHistory& question_;
  Instant now_;
};

std::string data_text(const SacctSettings& settings, const QueryHistory& question,
                      const std::vector<HistoryRow>& rows, Instant now) {
  DataWriter data(*settings.report.notation);
  Lines lines(settings, question, now);
  data.begin_map().begin_list("jobs");
  for (const HistoryRow& row : rows)
    lines.visit(row, [&](const SacctRow& line) {
      if (!line.step) write_account_job(data, line);
    });
  data.end();
  write_meta(data, settings.report);
  data.end();
  return data.finish();
}

int refuse(std::string_view text) {
  complain("sacct", text);
  return 1;
}

int show_script(Controller& controller, const std::vector<HistoryRow>& rows) {
  for (const HistoryRow& row : rows) {
    auto script = controller.ask<Script>(GetScript{.job = row.job.job.id});
    print(fmt::format("Batch Script for {}\n{}\n{}\n", row.job.job.id.value, std::string(80, '-'),
                      script ? script->bytes : "NONE"));
  }
  return 0;
}

// Nobody keeps the environments of jobs that are over (AccountingStoreFlags=job_env).
int show_environments(const std::vector<HistoryRow>& rows) {
  for (const HistoryRow& row : rows)
    print(fmt::format("Environment used for {} (must be batch to display)\n{}\nNONE\n",
                      row.job.job.id.value, std::string(80, '-')));
  return 0;
}

int show(const SacctSettings& settings, Controller& controller) {
  Instant now = wall_clock();
  auto question = sacct_question(settings, now, ::getuid());
  if (!question) return refuse(question.error().text);
  std::vector<HistoryRow> rows;
  Status asked = fetch_report<HistoryRows>(controller, *question, rows);
  if (!asked && !is(asked.error(), Errc::InvalidJobId)) return refuse(asked.error().text);
  if (settings.script) return show_script(controller, rows);
  if (settings.environment) return show_environments(rows);
  auto out = render_history(settings, *question, rows, now);
  if (!out) return refuse(out.error().text);
  print(*out);
  return 0;
}

}  // namespace

Result<QueryHistory> sacct_question(const SacctSettings& settings, Instant now, std::uint32_t uid) {
  QueryHistory out{.filter = {.targets = settings.targets,
                              .users = settings.users,
                              .partitions = settings.partitions,
                              .accounts = settings.accounts,
                              .qos = settings.qos,
                              .names = settings.names,
                              .all_states = true,
                              .nodes = settings.nodes},
                   .steps = !settings.allocations_only};
  for (JobTarget& target : out.filter.targets) {
    target.tasks.reset();
    target.step.reset();
  }
  bool own = settings.users.empty() && !settings.all_users && uid != 0;
  if (own) out.filter.users = {fmt::format("{}", uid)};
  auto read = [&](const std::string& text, Instant usual) -> Result<Instant> {
    return text.empty() ? Result<Instant>(usual)
                        : parse_timestamp(text, now, local_zone(), Looking::Back);
  };
  // States are asked for as of now, jobs by their number whenever they were.
  bool at_once = settings.states.given() && settings.until.empty();
  Instant usual = !settings.targets.empty() ? Instant{} : at_once ? now : midnight(now);
  auto since = read(settings.since, usual);
  auto until = read(settings.until, now);
  if (!since) return std::unexpected(since.error());
  if (!until) return std::unexpected(until.error());
  if (*since > *until)
    return fail("Start time requested is after end time.  Use a different range, please.");
  out.since = *since;
  out.until = *until;
  return out;
}

Result<std::string> render_history(const SacctSettings& settings, const QueryHistory& question,
                                   const std::vector<HistoryRow>& rows, Instant now) {
  if (settings.report.notation) return data_text(settings, question, rows, now);
  auto chosen = choose_fields(settings.fields, sacct_fields());
  if (!chosen) return std::unexpected(chosen.error());
  NamedTable<SacctRow> table(std::move(*chosen), settings.look);
  std::string out;
  table.append_header(out);
  Lines lines(settings, question, now);
  for (const HistoryRow& row : rows)
    lines.visit(row, [&](const SacctRow& line) { table.append_row(out, line); });
  return out;
}

int sacct_main(const Arguments& arguments) {
  auto parsed = parse_command(sacct_page(), sacct_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  SacctSettings& settings = parsed.settings;
  if (settings.list_fields) {
    std::string out;
    std::size_t at = 0;
    for (const SacctField& field : sacct_fields())
      out += fmt::format("{:<19}{}", field.name, ++at % 4 == 0 ? "\n" : " ");
    print(at % 4 == 0 ? out : out + "\n");
    return 0;
  }
  if (!parsed.operands.empty())
    return refuse(fmt::format("Unknown arguments: {}", printable(parsed.operands[0])));
  if (settings.report.notation)
    if (auto code = answer_parser("sacct", *settings.report.notation, settings.report.parser))
      return *code;
  if (settings.environment && settings.targets.empty())
    return refuse(
        "fatal: When requesting job environment you must also request specific jobs with the '-j' "
        "option.");
  if (settings.completion) return print_error("Slurm job completion is disabled\n"), 1;
  if (auto dry = render_history(settings, {}, {}, {}); !dry) return refuse(dry.error().text);
  auto controller = Controller::open();
  if (!controller) return refuse(controller.error().text);
  settings.report.cluster = controller->config().cluster_name;
  settings.report.command = arguments;
  settings.report.command.insert(settings.report.command.begin(), "sacct");
  if (Status ours = check_clusters(settings.report, settings.report.cluster); !ours)
    return refuse(ours.error().text);
  return show(settings, *controller);
}

}  // namespace ym::cli
