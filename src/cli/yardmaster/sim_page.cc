// SPDX-License-Identifier: Apache-2.0
// The page of `yardmaster sim --html`: figures and tables in one file, without scripts and without
// anything from elsewhere.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "cli/plot/chart.h"
#include "cli/yardmaster/sim.h"
#include "trace/curves.h"
#include "trace/gantt.h"

namespace ym::cli {
namespace {

using plot::Axis;
using plot::escaped;
using plot::Scale;
using plot::span_text;

constexpr std::size_t kQuantiles = 400;  // of a distribution
constexpr std::size_t kGanttJobsMax = 1500;
constexpr std::size_t kGanttsMax = 4;
constexpr std::size_t kRowsMax = 25;  // of a table of users

constexpr std::string_view kLayout = R"(body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}main{max-width:1560px;margin:0 auto;padding:28px 24px 60px}
h1{font-size:26px;font-weight:600;margin:0}h2{font-size:16px;font-weight:600;margin:0 0 2px}
.sub{color:var(--soft);margin:2px 0 22px}.note{color:var(--soft);font-size:13px;margin:0 0 8px}
.grid2{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(560px,100%),1fr));gap:18px}
figure,section{background:var(--card);border:1px solid var(--line);border-radius:10px;
margin:0 0 18px;
padding:16px 18px}.grid2>*{margin:0}.grid2{margin-bottom:18px;
align-items:start}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:5px 14px;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left;padding-left:0;min-width:13em}th{color:var(--soft);
font-weight:500;font-size:13px}
tr:last-child td{border-bottom:0}.best{font-weight:650}.scroll{overflow-x:auto}
th i{display:inline-block;width:.75em;height:.75em;border-radius:2px;margin-right:.4em;
background:var(--c)}
@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc}main{padding:0;
max-width:none}figure,section{break-inside:avoid;border-color:#bbb}.grid2{display:block}
.grid2>*{margin-bottom:14px}}
)";

struct Rows {
  std::string out;
  const SimReport& report;

  void head(std::string_view first) {
    out += fmt::format("<tr><th>{}</th>", escaped(first));
    for (std::size_t i = 0; i < report.runs.size(); ++i)
      out += fmt::format("<th><i class=\"c{}\"></i>{}</th>", i % plot::kColours,
                         escaped(report.runs[i].label));
    out += "</tr>\n";
  }

  // The least value is the best one, or the largest.
  enum class Best : std::uint8_t { Least, Most, None };
  template <class Value>
  void row(std::string_view name, Value value, std::string (*show)(double), Best best) {
    std::vector<double> values;
    for (const SimRun& run : report.runs) values.push_back(value(run));
    auto [least, most] = std::ranges::minmax(values);
    out += fmt::format("<tr><td>{}</td>", escaped(name));
    for (double one : values) {
      bool wins = values.size() > 1 && least < most && best != Best::None &&
                  one == (best == Best::Least ? least : most);
      std::string text = std::isfinite(one) ? show(one) : "–";
      out += fmt::format("<td{}>{}</td>", wins ? " class=\"best\"" : "", escaped(text));
    }
    out += "</tr>\n";
  }
};

std::string exact_span(double seconds) {
  return seconds < 60 ? fmt::format("{:.1f} s", seconds) : span_text(seconds);
}
std::string factor(double value) {
  return value < 1000 ? fmt::format("{:.2f}", value) : plot::number_text(std::round(value));
}
std::string percent(double value) { return fmt::format("{:.2f} %", 100 * value); }
std::string count(double value) { return plot::number_text(value); }

std::string summary_table(const SimReport& report) {
  using Best = Rows::Best;
  Rows rows{.out = {}, .report = report};
  rows.head("");
  auto spread = [&](std::string_view what, trace::Spread trace::Summary::* which,
                    std::string (*show)(double)) {
    auto line = [&](std::string_view kind, double trace::Spread::* part) {
      rows.row(
          fmt::format("{}, {}", what, kind),
          [&](const SimRun& run) { return run.summary.*which.*part; }, show, Best::Least);
    };
    line("mean", &trace::Spread::mean);
    line("median", &trace::Spread::median);
    line("95 %", &trace::Spread::p95);
    line("largest", &trace::Spread::max);
  };
  spread("Wait", &trace::Summary::wait_s, exact_span);
  spread("Bounded slowdown", &trace::Summary::slowdown, factor);
  rows.row(
      "Utilisation", [](const SimRun& run) { return run.summary.utilisation; }, percent,
      Best::Most);
  rows.row(
      "Makespan", [](const SimRun& run) { return static_cast<double>(run.summary.makespan_s); },
      span_text, Best::Least);
  rows.row(
      "Jobs that ran", [](const SimRun& run) { return static_cast<double>(run.summary.started); },
      count, Best::None);
  auto some = [&](std::string_view name, std::size_t trace::Summary::* which) {
    bool any =
        std::ranges::any_of(report.runs, [&](const SimRun& run) { return run.summary.*which > 0; });
    if (any)
      rows.row(
          name, [&](const SimRun& run) { return static_cast<double>(run.summary.*which); }, count,
          Best::None);
  };
  some("Refused", &trace::Summary::refused);
  some("Never started", &trace::Summary::never_started);
  some("Ended by their limit", &trace::Summary::timed_out);
  some("Ran again after they made room", &trace::Summary::restarts);
  return fmt::format("<section class=\"scroll\"><h2>In numbers</h2><table>{}</table></section>\n",
                     rows.out);
}

std::string group_table(const SimReport& report, std::string_view title,
                        std::vector<trace::Group> trace::Summary::* which) {
  const auto& groups = report.runs.front().summary.*which;
  if (groups.size() < 2) return {};
  Rows rows{.out = {}, .report = report};
  rows.head("mean wait");
  for (std::size_t i = 0; i < std::min(groups.size(), kRowsMax); ++i)
    rows.row(
        fmt::format("{} ({} jobs)", groups[i].name, count(static_cast<double>(groups[i].jobs))),
        [&](const SimRun& run) {
          const auto& all = run.summary.*which;
          auto at = std::ranges::find(all, groups[i].name, &trace::Group::name);
          return at == all.end() ? NAN : at->wait_s.mean;
        },
        exact_span, Rows::Best::Least);
  return fmt::format("<section class=\"scroll\"><h2>{}</h2><table>{}</table></section>\n",
                     escaped(title), rows.out);
}

std::vector<std::string> labels_of(const SimReport& report) {
  std::vector<std::string> labels;
  for (const SimRun& run : report.runs) labels.push_back(run.label);
  return labels;
}

std::string figure(const SimReport& report, std::string_view title, std::string_view note,
                   const std::string& drawing) {
  return fmt::format("<figure><h2>{}</h2><p class=\"note\">{}</p>{}{}</figure>\n", escaped(title),
                     escaped(note), report.runs.size() > 1 ? plot::legend(labels_of(report)) : "",
                     drawing);
}

double highest(const plot::Chart& chart) {
  double high = 0;
  for (const plot::Series& series : chart.series)
    for (const auto& [x, y] : series.points) high = std::max(high, y);
  return high;
}

// Of a curve over time: several at once are read more easily if they move less.
std::size_t pieces_of(const SimReport& report) { return report.runs.size() > 1 ? 140 : 360; }

trace::Span whole_span(const SimReport& report) {
  trace::Span span{.from_s = 0, .to_s = 1};
  for (const SimRun& run : report.runs)
    span.to_s = std::max(span.to_s, trace::last_end(run.outcome));
  return span;
}

std::string piece_note(const SimReport& report, const trace::Span& span) {
  auto pieces = static_cast<double>(pieces_of(report));
  return fmt::format("means over {}", span_text(static_cast<double>(span.to_s) / pieces));
}

Axis time_axis(const trace::Span& span) {
  return {.label = "time since the first submission",
          .scale = Scale::Seconds,
          .low = static_cast<double>(span.from_s),
          .high = static_cast<double>(span.to_s)};
}

std::string utilisation_figure(const SimReport& report) {
  trace::Span span = whole_span(report);
  plot::Chart chart{.title = "Utilisation over time",
                    .x = time_axis(span),
                    .y = {.label = "processors in use", .scale = Scale::Percent}};
  auto look = report.runs.size() > 1 ? plot::Look::Steps : plot::Look::Area;
  for (const SimRun& run : report.runs) {
    auto points = trace::busy_curve(report.workload, run.outcome, span, pieces_of(report));
    for (auto& [x, y] : points) y /= static_cast<double>(std::max<std::uint64_t>(run.procs, 1));
    chart.series.push_back({.name = run.label, .points = std::move(points), .look = look});
  }
  chart.y.high = std::max(1.0, highest(chart));
  return figure(report, "Utilisation", piece_note(report, span), draw(chart));
}

std::string queue_figure(const SimReport& report) {
  trace::Span span = whole_span(report);
  plot::Chart chart{
      .title = "Jobs that wait, over time", .x = time_axis(span), .y = {.label = "jobs that wait"}};
  auto look = report.runs.size() > 1 ? plot::Look::Steps : plot::Look::Area;
  for (const SimRun& run : report.runs)
    chart.series.push_back(
        {.name = run.label,
         .points = trace::queue_curve(report.workload, run.outcome, span, pieces_of(report)),
         .look = look});
  chart.y.high = std::max(1.0, highest(chart));
  chart.y = rounded_up(chart.y, 5);
  return figure(report, "Queue", piece_note(report, span), draw(chart));
}

std::string distribution_figure(const SimReport& report) {
  plot::Chart chart{.title = "Distribution of waits",
                    .x = {.label = "wait", .scale = Scale::LogSeconds, .low = 1, .high = 60},
                    .y = {.label = "jobs that waited no longer", .scale = Scale::Percent}};
  for (const SimRun& run : report.runs) {
    chart.series.push_back(
        {.name = run.label,
         .points = trace::wait_distribution(report.workload, run.outcome, kQuantiles),
         .look = plot::Look::Steps});
    chart.x.high = std::max(chart.x.high, run.summary.wait_s.max);
  }
  return figure(report, "Waits", "the part of all jobs that had started by then", draw(chart));
}

std::string size_figure(const SimReport& report) {
  plot::Bars bars{.title = "Wait by size",
                  .y = {.label = "wait", .scale = Scale::Seconds},
                  .x_label = "processors"};
  std::vector<std::string>& names = bars.categories;
  for (const SimRun& run : report.runs)
    for (const trace::Group& group : run.summary.sizes)
      if (std::ranges::find(names, group.name) == names.end()) names.push_back(group.name);
  double high = 60;
  for (const SimRun& run : report.runs) {
    plot::BarSeries series{.name = run.label};
    for (const std::string& name : names) {
      auto at = std::ranges::find(run.summary.sizes, name, &trace::Group::name);
      bool there = at != run.summary.sizes.end();
      series.values.push_back(there ? at->wait_s.mean : 0);
      series.marks.push_back(there ? at->wait_s.p95 : 0);
      high = std::max({high, series.values.back(), series.marks.back()});
    }
    bars.series.push_back(std::move(series));
  }
  bars.y.high = high;
  bars.y = rounded_up(bars.y, 5);
  return figure(report, "Wait by size", "the bar is the mean, the whisker goes up to 95 %",
                draw(bars));
}

// The users who use most have a colour of their own.
std::vector<std::size_t> colours_of(const SimReport& report) {
  std::vector<std::size_t> colours(report.workload.users.size(), plot::kColours - 1);
  const auto& users = report.runs.front().summary.users;
  for (std::size_t i = 0; i < std::min(users.size(), plot::kColours - 1); ++i) {
    auto at = std::ranges::find(report.workload.users, users[i].name);
    if (at != report.workload.users.end())
      colours[static_cast<std::size_t>(at - report.workload.users.begin())] = i;
  }
  return colours;
}

std::string gantt(const SimReport& report, const SimRun& run, const trace::Span& span,
                  const std::vector<std::size_t>& colours) {
  plot::Boxes boxes{.title = "Who had which processors when",
                    .x = time_axis(span),
                    .y = {.label = "processors", .low = 0, .high = static_cast<double>(run.procs)}};
  for (const trace::Box& box : trace::boxes_of(report.workload, run.outcome, span)) {
    const trace::TraceJob& job = report.workload.jobs[box.job];
    boxes.rectangles.push_back(
        {.x_from = static_cast<double>(box.from_s),
         .x_to = static_cast<double>(box.to_s),
         .y_from = static_cast<double>(box.first),
         .y_to = static_cast<double>(box.first + box.count),
         .colour = colours[job.user],
         .text = fmt::format("job {} of {}: {} processors for {}, waited {}", job.id,
                             report.workload.users[job.user], job.procs,
                             span_text(static_cast<double>(box.to_s - box.from_s)),
                             span_text(static_cast<double>(box.from_s - job.submit_s)))});
  }
  return draw(boxes);
}

std::string gantt_figures(const SimReport& report) {
  trace::Span span =
      trace::busiest_span(report.workload, report.runs.front().outcome, kGanttJobsMax);
  std::vector<std::size_t> colours = colours_of(report);
  std::vector<std::string> names;
  const auto& users = report.runs.front().summary.users;
  for (std::size_t i = 0; i < std::min(users.size(), plot::kColours - 1); ++i)
    names.push_back(users[i].name);
  if (users.size() > names.size()) {
    names.resize(plot::kColours - 1);
    names.push_back("others");
  }
  bool all = report.workload.jobs.size() <= kGanttJobsMax;
  std::string note =
      fmt::format("{}; a colour is a user",
                  all ? "all jobs"
                      : fmt::format("{} around the longest queue",
                                    span_text(static_cast<double>(span.to_s - span.from_s))));
  // Of the same width as the other figures, so that all texts are of one size.
  std::string out;
  for (std::size_t i = 0; i < std::min(report.runs.size(), kGanttsMax); ++i) {
    const SimRun& run = report.runs[i];
    std::string title =
        report.runs.size() > 1 ? fmt::format("Who ran when: {}", run.label) : "Who ran when";
    out += fmt::format("<figure><h2>{}</h2><p class=\"note\">{}</p>{}{}</figure>\n", escaped(title),
                       escaped(note), users.size() > 1 ? plot::legend(names) : "",
                       gantt(report, run, span, colours));
  }
  return out;
}

}  // namespace

std::string sim_page(const SimReport& report) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}{}</style>"
      "</head>\n<body><main>\n<h1>{}</h1>\n<p class=\"sub\">{} jobs on {} processors, replayed by "
      "yardmaster sim</p>\n",
      escaped(report.title), plot::style(), kLayout, escaped(report.title),
      count(static_cast<double>(report.workload.jobs.size())),
      count(static_cast<double>(report.runs.front().procs)));
  out += summary_table(report);
  out += "<div class=\"grid2\">";
  out += utilisation_figure(report);
  out += queue_figure(report);
  out += size_figure(report);
  out += distribution_figure(report);
  out += gantt_figures(report);
  out += "</div>\n";
  out += "<div class=\"grid2\">";
  out += group_table(report, "By size", &trace::Summary::sizes);
  out += group_table(report, "By partition", &trace::Summary::partitions);
  out += group_table(report, "By user", &trace::Summary::users);
  return out + "</div></main></body></html>\n";
}

}  // namespace ym::cli
