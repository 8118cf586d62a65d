// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/squeue.h"

#include <poll.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "cli/squeue/columns.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::string date_line(Instant now) {
  std::time_t seconds = now.unix_seconds();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[64];
  std::size_t length = std::strftime(text, sizeof text, "%a %b %d %H:%M:%S %Y\n", &parts);
  return std::string(text, length);
}

bool in_list(const std::vector<std::string>& list, const std::string& text) {
  if (list.empty()) return true;
  for (std::string_view word : split_words(text, ','))
    if (std::find(list.begin(), list.end(), std::string(word.substr(0, word.find(':')))) !=
        list.end())
      return true;
  return false;
}

// What the controller's filter cannot say.
bool wanted(const SqueueSettings& settings, const JobRow& row) {
  const JobExtras& extras = *row.job.spec->extras;
  if (settings.start && row.job.state != JobState::Pending) return false;
  return settings.states.holds(row.job) && in_list(settings.licenses, extras.licenses) &&
         in_list(settings.reservations, extras.reservation);
}

std::vector<JobView> views_of(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                              Instant now) {
  std::vector<JobView> views;
  views.reserve(rows.size());
  for (const JobRow& row : rows) {
    if (!wanted(settings, row)) continue;
    if (settings.single_elements && row.job.array)
      row.job.array->waiting.for_each(
          [&](std::uint32_t task) { views.push_back({.row = &row, .now = now, .task = task}); });
    else
      views.push_back({.row = &row, .now = now});
  }
  return views;
}

Result<Format<JobView>> format_of(const SqueueSettings& settings) {
  if (!settings.long_format.empty()) {
    auto fields = parse_long_format(settings.long_format);
    if (!fields) return std::unexpected(fields.error());
    return resolve_format(std::move(*fields), job_columns(), true);
  }
  std::string_view text = !settings.format.empty() ? std::string_view(settings.format)
                          : settings.longer        ? kLongFormat
                          : settings.start         ? kStartFormat
                          : settings.only_state    ? std::string_view("%.18i %.9T")
                                                   : kUsualFormat;
  auto fields = parse_short_format(text);
  if (!fields) return std::unexpected(fields.error());
  return resolve_format(std::move(*fields), job_columns(), false);
}

void sort_views(std::vector<JobView>& views, const std::vector<SortKey<JobView>>& keys) {
  std::sort(views.begin(), views.end(), [&](const JobView& a, const JobView& b) {
    for (const auto& key : keys)
      if (int order = compare_by(key, a, b); order != 0) return order < 0;
    if (a.job().id != b.job().id) return a.job().id < b.job().id;
    return a.task < b.task;
  });
}

// Targets with a step mean that step only.
bool step_wanted(const SqueueSettings& settings, const StepRow& step) {
  bool any = settings.targets.empty();
  for (const JobTarget& target : settings.targets)
    any = any || !target.step || (*target.step == step.step.id && target.job == step.job);
  return any;
}

Result<std::string> render_steps(const SqueueSettings& settings, const std::vector<JobView>& views,
                                 const std::vector<StepRow>& steps) {
  auto fields =
      parse_short_format(settings.format.empty() ? kStepFormat : std::string_view(settings.format));
  if (!fields) return std::unexpected(fields.error());
  auto format = resolve_format(std::move(*fields), step_columns(), false);
  if (!format) return std::unexpected(format.error());
  std::string out = settings.header ? format->header() : "";
  std::multimap<JobId, const StepRow*> by_job;
  for (const StepRow& step : steps)
    if (step_wanted(settings, step)) by_job.emplace(step.job, &step);
  for (const JobView& view : views) {
    auto [first, last] = by_job.equal_range(view.job().id);
    for (auto at = first; at != last; ++at)
      format->append_row(out, {.job = &view, .row = at->second});
  }
  return out;
}

Status fetch_steps(Controller& controller, const SqueueSettings& settings,
                   std::vector<StepRow>& steps) {
  QuerySteps question;
  if (settings.targets.size() == 1) question.job = settings.targets.front().job;
  return controller.ask_many<StepRows>(
      question,
      [&steps](StepRows&& some) {
        for (StepRow& step : some.rows) steps.push_back(std::move(step));
      },
      [&steps] { steps.clear(); });
}

int show_once(const SqueueSettings& settings, Controller& controller) {
  std::vector<JobRow> rows;
  Status asked = controller.ask_many<JobRows>(
      QueryJobs{.filter = squeue_filter(settings)},
      [&rows](JobRows&& some) {
        for (JobRow& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
  bool unknown = asked && rows.empty() && settings.targets.size() == 1;
  if (!asked && is(asked.error(), Errc::InvalidJobId) && settings.targets.size() > 1) asked = {};
  if (!asked || unknown) {
    std::string text = unknown ? std::string(text_of(Errc::InvalidJobId)) : asked.error().text;
    print_error(fmt::format("slurm_load_jobs error: {}\n", text));
    return 1;
  }
  std::vector<StepRow> steps;
  if (settings.steps) asked = fetch_steps(controller, settings, steps);
  if (!asked) {
    print_error(fmt::format("slurm_get_job_steps error: {}\n", asked.error().text));
    return 1;
  }
  auto out = render_queue(settings, rows, wall_clock(), steps);
  if (!out) {
    complain("squeue", out.error().text);
    return 1;
  }
  print(*out);
  return 0;
}

}  // namespace

JobFilter squeue_filter(const SqueueSettings& settings) {
  JobFilter filter{.targets = settings.targets,
                   .users = settings.users,
                   .partitions = settings.partitions,
                   .accounts = settings.accounts,
                   .qos = settings.qos,
                   .names = settings.names,
                   .nodes = settings.nodes};
  settings.states.put_into(filter);
  // A job that is asked for by its id and has ended is known, although it is not shown.
  if (!settings.targets.empty()) {
    filter.all_states = true;
    filter.states.clear();
  }
  return filter;
}

Result<std::string> render_queue(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, const std::vector<StepRow>& steps) {
  auto format = format_of(settings);
  if (!format && !settings.steps) return std::unexpected(format.error());
  auto keys = parse_sort(settings.sort.empty() ? kUsualSort : std::string_view(settings.sort),
                         job_columns());
  if (!keys) return std::unexpected(keys.error());
  std::vector<JobView> views = views_of(settings, rows, now);
  sort_views(views, *keys);
  if (settings.steps) return render_steps(settings, views, steps);
  format->fit(views);
  std::string out;
  if (settings.longer || settings.iterate_s) out += date_line(now);
  if (settings.header) out += format->header();
  for (const JobView& view : views) format->append_row(out, view);
  return out;
}

int squeue_main(const Arguments& arguments) {
  auto parsed = parse_command(squeue_page(), squeue_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (!parsed.operands.empty()) {
    complain("squeue", fmt::format("Unrecognized option: {}", parsed.operands[0]));
    return 1;
  }
  // A wrong format is told before anybody is asked.
  if (auto dry = render_queue(parsed.settings, {}, wall_clock()); !dry) {
    complain("squeue", dry.error().text);
    return 1;
  }
  auto controller = Controller::open();
  if (!controller) {
    complain("squeue", controller.error().text);
    return 1;
  }
  for (;;) {
    int code = show_once(parsed.settings, *controller);
    if (!parsed.settings.iterate_s) return code;
    print("\n");
    ::poll(nullptr, 0, static_cast<int>(parsed.settings.iterate_s * 1000));
  }
}

}  // namespace ym::cli
