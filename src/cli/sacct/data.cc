// SPDX-License-Identifier: Apache-2.0
// sacct --json: a job with its steps, in Slurm's order of the fields.
#include <signal.h>
#include <string.h>

#include "cli/common/local.h"
#include "cli/sacct/sacct.h"
#include "notation/hostlist.h"
#include "notation/tres.h"

namespace ym::cli {
namespace {

using Row = const SacctRow&;

std::int64_t seconds(Instant time) { return time ? time.unix_seconds() : 0; }
std::int64_t seconds(Duration span) { return span.count() / 1000; }

void write_exit(DataWriter& data, std::string_view key, const ExitStatus& exit) {
  data.begin_map(key);
  data.texts("status", {exit.signal ? "SIGNALED" : exit.code ? "ERROR" : "SUCCESS"});
  data.number("return_code", exit.code);
  const char* name = exit.signal ? ::sigabbrev_np(exit.signal) : nullptr;
  data.begin_map("signal");
  data.number("id", exit.signal ? std::optional<std::uint64_t>(exit.signal) : std::nullopt);
  data.text("name", name ? name : "").end();
  data.end();
}

void write_span(DataWriter& data, std::string_view key, std::uint64_t ms) {
  data.begin_map(key);
  data.integer("seconds", static_cast<std::int64_t>(ms / 1000));
  data.integer("microseconds", static_cast<std::int64_t>(ms % 1000 * 1000)).end();
}

void write_tres(DataWriter& data, std::string_view key, const std::string& text) {
  data.begin_list(key);
  auto tres = Tres::parse(text);
  if (tres)
    for (const Tres::Entry& entry : tres->entries()) {
      auto slash = entry.name.find('/');
      data.begin_map().text("type", entry.name.substr(0, slash));
      data.text("name", slash == std::string::npos ? "" : entry.name.substr(slash + 1));
      data.integer("id", 0).integer("count", static_cast<std::int64_t>(entry.amount)).end();
    }
  data.end();
}

void write_times(DataWriter& data, Row row) {
  const Job& job = row.job.job();
  Usage used = used_by(row).total;
  data.begin_map("time");
  data.integer("elapsed", seconds(elapsed(row)));
  if (!row.step) data.integer("eligible", seconds(job.eligible));
  if (row.step)
    data.number("end", static_cast<std::uint64_t>(seconds(end_of(row))));
  else
    data.integer("end", seconds(end_of(row)));
  if (row.step)
    data.number("start", static_cast<std::uint64_t>(seconds(start_of(row))));
  else
    data.integer("start", seconds(start_of(row))).integer("submission", seconds(job.submit));
  data.integer("suspended", row.step ? 0 : seconds(job.suspended_for));
  write_span(data, "system", used.system_ms);
  if (!row.step) {
    auto limit = time_limit_of(row.job);
    if (limit == JobSpec::kUnlimited)
      data.infinite("limit");
    else
      data.number("limit", limit ? std::optional<std::uint64_t>(*limit / 60) : std::nullopt);
  }
  write_span(data, "total", used.user_ms + used.system_ms);
  write_span(data, "user", used.user_ms);
  data.end();
}

void write_step(DataWriter& data, Row row) {
  const StepRow& step = *row.step;
  data.begin_map();
  write_times(data, row);
  write_exit(data, "exit_code", step.step.worst);
  data.begin_map("nodes");
  data.integer("count", static_cast<std::int64_t>(step.step.shares.size()));
  data.text("range", step.nodes);
  auto hosts = Hostlist::parse(step.nodes);
  data.texts("list", hosts ? hosts->names() : std::vector<std::string>{}).end();
  data.begin_map("tasks").integer("count", step.step.tasks).end();
  data.texts("state", {sacct_state(row)});
  data.begin_map("step");
  data.text("id", fmt::format("{}.{}", row.job.job().id.value, step_name(step.step.id)));
  data.text("name", step.step.name).end();
  data.end();
}

void write_identity(DataWriter& data, Row row) {
  const Job& job = row.job.job();
  const JobSpec& spec = row.job.spec();
  const JobExtras& extras = row.job.extras();
  data.text("account", spec.account);
  data.begin_map("comment").text("administrator", extras.admin_comment);
  data.text("job", extras.comment).text("system", extras.system_comment).end();
  data.integer("allocation_nodes", job.allocation->nodes.empty() ? 0 : node_count_of(row.job));
  data.begin_map("array").integer("job_id", job.array_job.value);
  bool element = !job.array && job.array_task != kNoTask;
  data.number("task_id", element ? std::optional<std::uint64_t>(job.array_task) : std::nullopt);
  data.text("task", job.array ? job.array->waiting.str() : "").end();
  data.text("cluster", row.job.cluster).text("constraints", extras.features);
  data.text("container", extras.container);
  write_exit(data, "derived_exit_code", job.derived_exit);
  write_times(data, row);
  write_exit(data, "exit_code", job.exit);
  data.text("extra", extras.extra).text("failed_node", "").texts("flags", {});
  data.text("group", group_name(spec.gid.value));
  data.begin_map("het").integer("job_id", job.het_job.value);
  data.number("job_offset",
              job.het_job ? std::optional<std::uint64_t>(job.het_offset) : std::nullopt);
  data.end();
}

}  // namespace

void write_account_job(DataWriter& data, Row row) {
  const Job& job = row.job.job();
  const JobSpec& spec = row.job.spec();
  const JobExtras& extras = row.job.extras();
  data.begin_map();
  write_identity(data, row);
  data.integer("job_id", job.id.value).text("name", spec.name).text("licenses", extras.licenses);
  data.text("nodes", row.job.row->nodes.empty() ? "None assigned" : row.job.row->nodes);
  data.text("partition", row.job.row->partition).number("priority", job.priority);
  data.text("qos", spec.qos);
  data.begin_map("required").integer("CPUs", cpu_count_of(row.job));
  auto memory = [](std::uint64_t mb) { return mb ? std::optional(mb) : std::nullopt; };
  data.number("memory_per_cpu", memory(spec.memory_per_cpu_mb));
  data.number("memory_per_node", memory(spec.memory_per_node_mb)).end();
  data.text("kill_request_user",
            job.state == JobState::Cancelled ? user_name(job.killed_by.value) : "");
  data.integer("restart_cnt", job.restarts).text("reservation", extras.reservation);
  data.begin_map("state").texts("current", {std::string(name_of(job.state))});
  data.text("reason", reason_of(row.job)).end();
  data.begin_list("steps");
  for (const StepRow& step : *row.steps) {
    SacctRow line = row;
    line.step = &step;
    write_step(data, line);
  }
  data.end();
  data.text("submit_line", spec.submit_line);
  data.begin_map("tres");
  write_tres(data, "allocated", allocated_tres(row.job));
  write_tres(data, "requested", requested_tres(row.job));
  data.end();
  data.text("user", spec.user_name).text("working_directory", spec.work_dir);
  data.end();
}

}  // namespace ym::cli
