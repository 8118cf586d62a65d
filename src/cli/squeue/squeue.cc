// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/squeue.h"

#include <algorithm>
#include <deque>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/squeue/columns.h"
#include "model/job_fields.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

bool in_list(const std::vector<std::string>& list, std::string_view text) {
  if (list.empty()) return true;
  for (std::string_view word : split_words(text, ','))
    if (std::find(list.begin(), list.end(), std::string(word.substr(0, word.find(':')))) !=
        list.end())
      return true;
  return false;
}

bool runs_as_long(const SqueueSettings& settings, const JobRow& row, Instant now) {
  if (!settings.running_over && !settings.running_under) return true;
  if (row.job.state == JobState::Pending || !row.job.start) return false;
  Duration used = time_used({.row = &row, .now = now});
  return (!settings.running_over || used > *settings.running_over) &&
         (!settings.running_under || used < *settings.running_under);
}

// What the controller's filter cannot say.
bool wanted(const SqueueSettings& settings, const JobRow& row, Instant now) {
  const JobExtras& extras = *row.job.spec->extras;
  if (settings.start && !settings.states.given() && row.job.state != JobState::Pending)
    return false;
  if (settings.not_user && row.job.spec->uid.value == *settings.not_user) return false;
  return runs_as_long(settings, row, now) && settings.states.holds(row.job) &&
         in_list(settings.licenses, extras.licenses) &&
         in_list(settings.reservations, extras.reservation);
}

// The waiting elements that are asked for; all of them unless the targets name elements.
IndexSet wanted_elements(const SqueueSettings& settings, const Job& job) {
  IndexSet out;
  bool named = false;
  for (const JobTarget& target : settings.targets) {
    if (target.job != job.array_job && target.job != job.id) continue;
    if (!target.tasks) return job.array->waiting;
    named = true;
    job.array->waiting.intersected(*target.tasks).for_each([&](std::uint32_t task) {
      out.insert(task);
    });
  }
  return named ? out : job.array->waiting;
}

// The lines of the report, in the rows' order. `parts` keeps the records that stand for some of an
// array's waiting elements only.
class Lines {
 public:
  Lines(const SqueueSettings& settings, Instant now, std::deque<JobRow>& parts)
      : settings_(settings), now_(now), parts_(parts) {}

  std::vector<JobView> of(const std::vector<JobRow>& rows) {
    views_.reserve(rows.size());
    for (const JobRow& row : rows) {
      if (!wanted(settings_, row, now_)) continue;
      if (row.job.array)
        add_array(row);
      else
        add(view_of(row));
    }
    return std::move(views_);
  }

 private:
  JobView view_of(const JobRow& row) const {
    return {.row = &row, .now = now_, .cluster = settings_.report.cluster};
  }
  void add_array(const JobRow& row) {
    IndexSet elements = wanted_elements(settings_, row.job);
    if (settings_.single_elements || elements.count() == 1) {
      bool alone = !settings_.single_elements && row.job.array->waiting.count() == 1;
      elements.for_each([&](std::uint32_t task) {
        JobView view = view_of(row);
        if (!alone) view.task = task;
        add(view);
      });
    } else if (elements.count() == row.job.array->waiting.count()) {
      add(view_of(row));
    } else if (!elements.empty()) {
      JobRow& part = parts_.emplace_back(row);
      part.job.array = Ref<ArrayTasks>(
          ArrayTasks{.waiting = elements, .max_running = row.job.array->max_running});
      add(view_of(part));
    }
  }
  void add(JobView view) {
    const JobRow& row = *view.row;
    if (!settings_.by_partition || row.job.state != JobState::Pending ||
        row.partition.find(',') == std::string::npos) {
      views_.push_back(view);
      return;
    }
    for (std::string_view partition : split_words(row.partition, ',')) {
      view.one_partition = partition;
      views_.push_back(view);
    }
  }

  const SqueueSettings& settings_;
  Instant now_;
  std::deque<JobRow>& parts_;
  std::vector<JobView> views_;
};

std::string_view usual_format(const SqueueSettings& settings) {
  return settings.report.longer ? kLongFormat
         : settings.start       ? kStartFormat
         : settings.only_state  ? std::string_view("%.18i %.9T")
                                : kUsualFormat;
}

template <class Row>
Result<Format<Row>> format_of(const ReportWish& wish, std::string_view usual,
                              const std::vector<Column<Row>>& table, std::string_view noun,
                              std::vector<std::string>* complaints) {
  auto fields = wish.fields(usual);
  if (!fields) return std::unexpected(fields.error());
  Complaints told{.noun = noun};
  Format<Row> format = resolve_format(std::move(*fields), table, wish.by_name(), told);
  if (complaints) *complaints = std::move(told.texts);
  return format;
}

// What stands above the rows.
template <class Row>
std::string head_of(const ReportWish& wish, const Format<Row>& format, Instant now) {
  std::string out;
  if (!wish.clusters.empty() && wish.header) out += fmt::format("CLUSTER: {}\n", wish.cluster);
  if (wish.header && (wish.longer || wish.iterate_s)) out += date_line(now);
  if (wish.header) out += format.header();
  return out;
}

template <class Row, class Before>
Result<std::string> render(const SqueueSettings& settings, Format<Row>& format,
                           std::vector<Row>& rows, std::string_view usual_sort,
                           const std::vector<Column<Row>>& table, Instant now, Before before) {
  const ReportWish& wish = settings.report;
  auto keys = parse_sort(wish.sort.empty() ? usual_sort : std::string_view(wish.sort), table);
  if (!keys) return std::unexpected(keys.error());
  sort_rows(rows, *keys, before);
  if (format.fits_itself()) format.fit(rows);
  std::string out = settings.headed ? "" : head_of(wish, format, now);
  for (const Row& row : rows) format.append_row(out, row);
  return out;
}

// Targets with a step mean that step only.
bool step_wanted(const SqueueSettings& settings, const StepRow& step) {
  bool any = settings.targets.empty();
  for (const JobTarget& target : settings.targets) {
    bool component = !target.component || step.het_offset == *target.component;
    bool mine = target.job == step.job || target.job == step.het_job;
    any = any || (component && (!target.step || (*target.step == step.step.id && mine)));
  }
  return any;
}

Result<std::string> render_steps(const SqueueSettings& settings, const std::vector<JobView>& views,
                                 const std::vector<StepRow>& steps,
                                 std::vector<std::string>* complaints) {
  auto format = format_of(settings.report, kStepFormat, step_columns(), "job step", complaints);
  if (!format) return std::unexpected(format.error());
  std::multimap<JobId, const StepRow*> by_job;
  for (const StepRow& step : steps)
    if (step_wanted(settings, step)) by_job.emplace(step.job, &step);
  std::vector<StepView> rows;
  for (const JobView& view : views) {
    auto [first, last] = by_job.equal_range(view.job().id);
    for (auto at = first; at != last; ++at) rows.push_back({.job = &view, .row = at->second});
  }
  Instant now = views.empty() ? wall_clock() : views[0].now;
  return render(settings, *format, rows, kUsualStepSort, step_columns(), now,
                [](const StepView& a, const StepView& b) {
                  if (a.row->job != b.row->job) return a.row->job < b.row->job;
                  return a.step().id < b.step().id;
                });
}

// A wrong format or order is told before anybody is asked.
Status check(SqueueSettings& settings, const std::vector<std::string>& operands) {
  for (const std::string& operand : operands) {
    auto targets = settings.steps ? parse_targets(operand) : fail("no operands here");
    if (!targets) return fail(fmt::format("Unrecognized option: {}", operand));
    settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  }
  // The controller may still know them: of jobs whose users this machine does not.
  for (const std::string& user : settings.users)
    if (!parse_unsigned<std::uint32_t>(user) && !local_user(user))
      complain("squeue", fmt::format("Invalid user: {}", printable(user)));
  std::vector<std::string> complaints;
  auto dry = render_queue(settings, {}, wall_clock(), {}, &complaints);
  if (!dry) return std::unexpected(dry.error());
  if (!settings.report.notation)
    for (const std::string& text : complaints) complain("squeue", text);
  return {};
}

// What of the jobs the filters look at that the controller does not.
std::uint64_t filter_needs(const SqueueSettings& settings) {
  bool rare = !settings.licenses.empty() || !settings.reservations.empty();
  return rare || settings.steps || settings.report.notation ? bit(JobField::Everything) : 0;
}

}  // namespace

QueuePlan squeue_plan(const SqueueSettings& settings) {
  QueuePlan plan{.fields = filter_needs(settings)};
  const ReportWish& wish = settings.report;
  auto format = format_of(wish, usual_format(settings), job_columns(), "job", nullptr);
  std::string_view usual = settings.start ? "S" : kUsualSort;
  auto keys = parse_sort(wish.sort.empty() ? usual : std::string_view(wish.sort), job_columns());
  if (!format || !keys || has(plan.fields, JobField::Everything)) return {};
  plan.streams = wish.sort.empty() && !settings.start && settings.targets.empty() &&
                 !settings.by_partition && !format->fits_itself();
  for (const Column<JobView>* column : format->columns)
    if (column) plan.fields |= column->needs;
  if (!plan.streams)
    for (const SortKey<JobView>& key : *keys) plan.fields |= key.column->needs;
  if (settings.by_partition) plan.fields |= bit(JobField::Partition);
  if (settings.not_user) plan.fields |= bit(JobField::User);
  if (has(plan.fields, JobField::Everything)) return {.fields = 0, .streams = false};
  // Never nothing: that would be everything.
  plan.fields |= bit(JobField::Run);
  return plan;
}

std::string queue_head(const SqueueSettings& settings, Instant now) {
  auto format = format_of(settings.report, usual_format(settings), job_columns(), "job", nullptr);
  return format && !format->fits_itself() ? head_of(settings.report, *format, now) : "";
}

std::vector<JobView> queue_lines(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, std::deque<JobRow>& parts) {
  return Lines(settings, now, parts).of(rows);
}

void append_lines(std::string& out, const SqueueSettings& settings, const Format<JobView>& format,
                  const std::vector<JobRow>& rows, Instant now) {
  std::deque<JobRow> parts;
  for (const JobView& view : Lines(settings, now, parts).of(rows)) format.append_row(out, view);
}

Result<Format<JobView>> queue_format(const SqueueSettings& settings) {
  return format_of(settings.report, usual_format(settings), job_columns(), "job", nullptr);
}

JobFilter squeue_filter(const SqueueSettings& settings) {
  JobFilter filter{.targets = settings.targets,
                   .users = settings.users,
                   .partitions = settings.partitions,
                   .accounts = settings.accounts,
                   .qos = settings.qos,
                   .names = settings.names,
                   .nodes = settings.nodes};
  settings.states.put_into(filter);
  // Elements are picked here: one that is not there leaves the array known, and a row out.
  for (JobTarget& target : filter.targets) target.tasks.reset();
  // A job that is asked for by its id and has ended is known, although it is not shown.
  if (!settings.targets.empty()) {
    filter.all_states = true;
    filter.states.clear();
  }
  return filter;
}

bool squeue_hides(const SqueueSettings& settings) {
  return !settings.all && settings.partitions.empty() && settings.targets.empty();
}

Result<std::string> render_queue(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, const std::vector<StepRow>& steps,
                                 std::vector<std::string>* complaints) {
  std::deque<JobRow> parts;
  std::vector<JobView> views = Lines(settings, now, parts).of(rows);
  if (settings.steps) return render_steps(settings, views, steps, complaints);
  auto format =
      format_of(settings.report, usual_format(settings), job_columns(), "job", complaints);
  if (!format) return std::unexpected(format.error());
  return render(settings, *format, views, settings.start ? "S" : kUsualSort, job_columns(), now,
                [](const JobView& a, const JobView& b) {
                  if (a.job().id != b.job().id) return a.job().id < b.job().id;
                  return a.task < b.task;
                });
}

int squeue_main(const Arguments& given) {
  // --jobs without ids means all of them: at the end of the line, or before another option.
  Arguments arguments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == "--jobs" && (i + 1 == given.size() || given[i + 1].starts_with('-'))) continue;
    arguments.push_back(given[i]);
  }
  return run_report<SqueueSettings>(
      {.page = squeue_page(), .table = squeue_table(), .check = check, .show = show_queue},
      arguments);
}

}  // namespace ym::cli
