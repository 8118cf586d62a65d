// SPDX-License-Identifier: Apache-2.0
// For programs that watch clusters: the numbers of sdiag, the reasons of squeue among them.
#include "cli/yardmaster/metrics.h"

#include <cstdint>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/yardmaster.h"

namespace ym::cli {
namespace {

enum class Kind : std::uint8_t { Gauge, Counter, Seconds };  // Seconds: counted in microseconds

struct Metric {
  const char *name, *key;  // there, and in the controller's answer
  Kind kind;
  const char* help;
};
constexpr Metric kMetrics[] = {
    {"jobs", "jobs", Kind::Gauge, "Jobs that the controller knows, ended ones included."},
    {"jobs_running", "running", Kind::Gauge, "Jobs that run."},
    {"nodes", "nodes", Kind::Gauge, "Nodes that the controller knows."},
    {"connections", "connections", Kind::Gauge, "Connections to the controller."},
    {"jobs_submitted", "jobs_submitted", Kind::Counter, "Jobs taken in."},
    {"jobs_started", "jobs_started", Kind::Counter, "Jobs started."},
    {"jobs_completed", "jobs_completed", Kind::Counter, "Jobs that ended well."},
    {"jobs_canceled", "jobs_canceled", Kind::Counter, "Jobs cancelled."},
    {"jobs_failed", "jobs_failed", Kind::Counter, "Jobs that failed."},
    {"passes", "plans", Kind::Counter, "Passes of the planner."},
    {"passes_seconds", "plan_total_us", Kind::Seconds, "Time of all passes."},
    {"full_passes", "full_plans", Kind::Counter, "Passes over the whole queue."},
    {"full_passes_seconds", "full_plan_total_us", Kind::Seconds, "Time of these."},
    {"jobs_looked_at", "depth_total", Kind::Counter, "Jobs that passes looked at."},
    {"starts_promised", "promised_total", Kind::Counter, "Starts that passes promised."},
    {"starts_proposed", "starts_proposed", Kind::Counter, "Starts that passes proposed."},
    {"starts_stale", "starts_refused", Kind::Counter, "Proposals that came too late."},
    {"events", "events", Kind::Counter, "Events written to the log."},
    {"event_groups", "batches", Kind::Counter, "Groups in which they were written."},
};

constexpr std::pair<const char*, const char*> kQuestions[] = {
    {"whose_turn", "turn_us"},
    {"fits_now", "now_us"},
    {"when", "when_us"},
    {"whom_to_preempt", "preempt_us"},
};

const std::string* find(const Statistics& statistics, std::string_view key) {
  for (const KeyValue& one : statistics.values)
    if (one.key == key) return &one.value;
  return nullptr;
}

std::string seconds(const std::string& microseconds) {
  std::uint64_t count = parse_unsigned<std::uint64_t>(microseconds).value_or(0);
  return fmt::format("{}.{:06}", count / 1'000'000, count % 1'000'000);
}

void head(std::string& out, std::string_view name, Kind kind, std::string_view help) {
  out += fmt::format("# TYPE yardmaster_{} {}\n", name, kind == Kind::Gauge ? "gauge" : "counter");
  if (kind == Kind::Seconds) out += fmt::format("# UNIT yardmaster_{} seconds\n", name);
  out += fmt::format("# HELP yardmaster_{} {}\n", name, help);
}

// A label's value: backslashes, quotes and line feeds are escaped.
std::string label(std::string_view value) {
  std::string out;
  for (char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

void add_reasons(std::string& out, const Statistics& statistics) {
  constexpr std::string_view kPrefix = "reason_";
  head(out, "jobs_pending", Kind::Gauge, "Jobs that wait, by the reason that squeue shows.");
  for (const KeyValue& one : statistics.values)
    if (one.key.starts_with(kPrefix))
      out += fmt::format("yardmaster_jobs_pending{{reason=\"{}\"}} {}\n",
                         label(std::string_view(one.key).substr(kPrefix.size())), one.value);
}

void add_questions(std::string& out, const Statistics& statistics) {
  head(out, "planning_seconds", Kind::Seconds, "What the time of passes went into.");
  for (auto [question, key] : kQuestions)
    if (const std::string* value = find(statistics, key))
      out += fmt::format("yardmaster_planning_seconds_total{{question=\"{}\"}} {}\n", question,
                         seconds(*value));
}

void add_messages(std::string& out, const Statistics& statistics) {
  head(out, "messages", Kind::Counter, "Questions and orders that the controller was sent.");
  for (const MessageCount& one : statistics.by_kind)
    out += fmt::format("yardmaster_messages_total{{type=\"{}\"}} {}\n", label(one.name), one.count);
  head(out, "messages_seconds", Kind::Seconds, "Time until they were answered.");
  for (const MessageCount& one : statistics.by_kind)
    out += fmt::format("yardmaster_messages_seconds_total{{type=\"{}\"}} {}\n", label(one.name),
                       seconds(std::to_string(one.total_us)));
}

struct MetricsSettings {
  std::string dir;
};
std::vector<Option<MetricsSettings>> metrics_table() { return {dir_option<MetricsSettings>()}; }

}  // namespace

std::string render_metrics(const Statistics& statistics) {
  std::string out;
  add_reasons(out, statistics);
  for (const Metric& one : kMetrics) {
    const std::string* value = find(statistics, one.key);
    if (!value) continue;
    head(out, one.name, one.kind, one.help);
    out += fmt::format("yardmaster_{}{} {}\n", one.name, one.kind == Kind::Gauge ? "" : "_total",
                       one.kind == Kind::Seconds ? seconds(*value) : *value);
  }
  add_questions(out, statistics);
  add_messages(out, statistics);
  return out + "# EOF\n";
}

CommandPage metrics_page() {
  return {.name = "yardmaster metrics",
          .summary = "print what sdiag knows, for programs that watch clusters",
          .usage = {"[OPTION]..."},
          .description =
              "Prints the controller's counts in the OpenMetrics text format, which Prometheus and "
              "others read:\njobs that wait by the reason that squeue shows, what was submitted, "
              "started and ended, passes of the\nplanner, messages by type. Counters begin anew "
              "with the controller and with sdiag --reset."};
}
std::vector<OptionInfo> metrics_options() { return infos_of(metrics_table()); }

int metrics_main(const Arguments& arguments) {
  auto parsed = parse_command(metrics_page(), metrics_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (has_operands(metrics_page(), parsed.operands)) return 1;
  auto loaded = cluster_configuration(parsed.settings.dir);
  if (!loaded) {
    complain(kYardmaster, loaded.error().text);
    return 1;
  }
  Controller controller(std::move(*loaded));
  auto statistics = controller.ask<Statistics>(QueryStatistics{});
  if (!statistics) {
    complain(kYardmaster, statistics.error().text);
    return 1;
  }
  print(render_metrics(*statistics));
  return 0;
}

}  // namespace ym::cli
