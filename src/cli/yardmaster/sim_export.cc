// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "cli/common/data_writer.h"
#include "cli/yardmaster/sim.h"

namespace ym::cli {
namespace {

// A field of a comma-separated line.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void write_spread(DataWriter& data, std::string_view key, const trace::Spread& spread) {
  data.begin_map(key)
      .real("mean", spread.mean)
      .real("median", spread.median)
      .real("p95", spread.p95)
      .real("max", spread.max)
      .end();
}

void write_groups(DataWriter& data, std::string_view key, const std::vector<trace::Group>& groups) {
  data.begin_list(key);
  for (const trace::Group& group : groups) {
    data.begin_map().text("name", group.name);
    data.integer("jobs", static_cast<std::int64_t>(group.jobs));
    data.real("proc_seconds", group.proc_seconds);
    write_spread(data, "wait_seconds", group.wait_s);
    write_spread(data, "bounded_slowdown", group.slowdown);
    data.end();
  }
  data.end();
}

void write_run(DataWriter& data, const SimRun& run) {
  const trace::Summary& summary = run.summary;
  auto count = [&](std::string_view key, std::size_t value) {
    data.integer(key, static_cast<std::int64_t>(value));
  };
  data.begin_map().text("policy", run.label);
  count("procs", run.procs);
  count("jobs", summary.jobs);
  count("started", summary.started);
  count("refused", summary.refused);
  count("never_started", summary.never_started);
  count("timed_out", summary.timed_out);
  count("restarts", summary.restarts);
  write_spread(data, "wait_seconds", summary.wait_s);
  write_spread(data, "bounded_slowdown", summary.slowdown);
  data.real("utilisation", summary.utilisation);
  data.integer("makespan_seconds", summary.makespan_s);
  data.real("proc_seconds", summary.proc_seconds);
  write_groups(data, "users", summary.users);
  write_groups(data, "partitions", summary.partitions);
  write_groups(data, "sizes", summary.sizes);
  count("passes", run.outcome.passes);
  count("events", run.outcome.events);
  data.end();
}

}  // namespace

std::string sim_csv(const SimReport& report) {
  std::string out =
      "id,submit,start,end,procs,limit,run,user,partition,state,wait,bounded_slowdown,policy,"
      "restarts\n";
  std::vector<std::string> users, partitions;
  for (const std::string& name : report.workload.users) users.push_back(csv_field(name));
  for (const std::string& name : report.workload.partitions) partitions.push_back(csv_field(name));
  auto to = std::back_inserter(out);
  for (const SimRun& run : report.runs) {
    std::string label = csv_field(run.label);
    for (std::size_t i = 0; i < report.workload.jobs.size(); ++i) {
      const trace::TraceJob& job = report.workload.jobs[i];
      const trace::JobFate& fate = run.outcome.jobs[i];
      fmt::format_to(to, "{},{},", job.id, job.submit_s);
      bool ran = fate.start_s != trace::kNotStarted && fate.end_s != trace::kNotStarted;
      std::int64_t wait = fate.start_s - job.submit_s, took = fate.end_s - fate.start_s;
      if (ran)
        fmt::format_to(to, "{},{},", fate.start_s, fate.end_s);
      else
        out += ",,";
      fmt::format_to(to, "{},", job.procs);
      if (job.limit_s) fmt::format_to(to, "{}", job.limit_s);
      fmt::format_to(to, ",{},{},{},{},", job.run_s, users[job.user], partitions[job.partition],
                     name_of(fate.state));
      if (ran)
        fmt::format_to(to, "{},{:.4f}", wait, trace::bounded_slowdown(wait, took));
      else
        out += ',';
      fmt::format_to(to, ",{},{}\n", label, fate.restarts);
    }
  }
  return out;
}

std::string sim_json(const SimReport& report) {
  DataWriter data(Notation::Json);
  data.begin_map().text("trace", report.title);
  data.integer("passed_over", static_cast<std::int64_t>(report.workload.passed_over));
  data.begin_list("runs");
  for (const SimRun& run : report.runs) write_run(data, run);
  data.end().end();
  return data.finish();
}

}  // namespace ym::cli
