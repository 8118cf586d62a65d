// SPDX-License-Identifier: Apache-2.0
// The summary on a terminal: one column for each run.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "cli/yardmaster/sim.h"

namespace ym::cli {
namespace {

constexpr std::size_t kGroupsShown = 10;
constexpr std::size_t kLabelWidth = 26, kColumn = 14;

std::string span(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} d", seconds / 86400);
}

// "28,467"
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number), out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string plain(double value) {
  if (value < 100) return fmt::format("{:.2f}", value);
  return fmt::format("{:.0f}", value);
}

class Table {
 public:
  explicit Table(const SimReport& report) : report_(report) {}

  void heading(std::string_view text) { out_ += fmt::format("\n{}\n", text); }

  void note(std::string_view text) { out_ += fmt::format("  {}\n", text); }

  // One cell for each run.
  template <class Cell>
  void row(std::string_view name, Cell cell) {
    out_ += fmt::format("  {:<{}}", name, kLabelWidth);
    for (const SimRun& run : report_.runs) {
      std::string text = cell(run);
      out_ += fmt::format("{:>{}}", text, width(run));
    }
    out_ += '\n';
  }
  static std::size_t width(const SimRun& run) { return std::max(kColumn, run.label.size() + 2); }
  std::string take() { return std::move(out_); }

 private:
  const SimReport& report_;
  std::string out_;
};

void add_spread(Table& table, std::string_view name, trace::Spread trace::Summary::* what,
                std::string (*show)(double)) {
  auto line = [&](std::string_view kind, double trace::Spread::* value) {
    table.row(fmt::format("{} {}", kind, name),
              [&](const SimRun& run) { return show(run.summary.*what.*value); });
  };
  line("mean", &trace::Spread::mean);
  line("median", &trace::Spread::median);
  line("95 %", &trace::Spread::p95);
  line("largest", &trace::Spread::max);
}

const trace::Group* find(const std::vector<trace::Group>& groups, const std::string& name) {
  auto at = std::ranges::find(groups, name, &trace::Group::name);
  return at == groups.end() ? nullptr : &*at;
}

// The first run tells which groups are shown; all tell the mean wait.
void add_groups(Table& table, const SimReport& report, std::string_view heading,
                std::vector<trace::Group> trace::Summary::* which) {
  const auto& groups = report.runs.front().summary.*which;
  if (groups.size() < 2) return;
  table.heading(heading);
  for (std::size_t i = 0; i < std::min(groups.size(), kGroupsShown); ++i) {
    const std::string& name = groups[i].name;
    table.row(fmt::format("{} ({})", name, grouped(groups[i].jobs)), [&](const SimRun& run) {
      const trace::Group* group = find(run.summary.*which, name);
      return group ? span(group->wait_s.mean) : std::string("-");
    });
  }
  if (groups.size() > kGroupsShown)
    table.note(fmt::format("… and {} more", groups.size() - kGroupsShown));
}

}  // namespace

std::string sim_text(const SimReport& report) {
  Table table(report);
  const SimRun& first = report.runs.front();
  std::string head = fmt::format("{}: {} jobs on {} processors", report.title,
                                 grouped(report.workload.jobs.size()), grouped(first.procs));
  if (report.workload.passed_over)
    head += fmt::format(" ({} records tell of no run)", grouped(report.workload.passed_over));
  table.heading("");
  table.row("", [](const SimRun& run) { return run.label; });
  add_spread(table, "wait", &trace::Summary::wait_s, span);
  add_spread(table, "bounded slowdown", &trace::Summary::slowdown, plain);
  table.row("utilisation", [](const SimRun& run) {
    return fmt::format("{:.2f} %", 100 * run.summary.utilisation);
  });
  table.row("makespan",
            [](const SimRun& run) { return span(static_cast<double>(run.summary.makespan_s)); });
  auto some = [&](std::string_view name, std::size_t trace::Summary::* count) {
    bool any =
        std::ranges::any_of(report.runs, [&](const SimRun& run) { return run.summary.*count > 0; });
    if (any) table.row(name, [&](const SimRun& run) { return grouped(run.summary.*count); });
  };
  some("refused", &trace::Summary::refused);
  some("never started", &trace::Summary::never_started);
  some("ended by their limit", &trace::Summary::timed_out);
  table.row("simulated jobs/s", [&](const SimRun& run) {
    return run.seconds > 0 ? grouped(static_cast<std::uint64_t>(
                                 static_cast<double>(run.summary.jobs) / run.seconds))
                           : std::string("-");
  });
  add_groups(table, report, "Mean wait by processors (jobs)", &trace::Summary::sizes);
  add_groups(table, report, "Mean wait by partition (jobs)", &trace::Summary::partitions);
  add_groups(table, report, "Mean wait of those who use most (jobs)", &trace::Summary::users);
  std::string out = head + table.take();
  for (const SimRun& run : report.runs)
    if (!run.outcome.refusal.empty())
      out += fmt::format("\n{}: refused {}\n", run.label, run.outcome.refusal);
  return out;
}

}  // namespace ym::cli
