// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "cli/squeue/columns.h"
#include "model/gres_request.h"
#include "model/node_gres.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using S = const StepView&;

std::string number(std::uint64_t value) { return fmt::format("{}", value); }
std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }
std::string step_file(S s, const std::string& name) {
  return name.empty() ? "(null)" : shown_file(*s.job, name);
}
// What it has, not what it asked for.
std::string gres_of_step(S s) { return or_null(shown_gres(gres_total_text(*s.step().gres))); }
std::string gres_per_node(S s) {
  const Step& step = s.step();
  if (!step.gres || step.shares.empty()) return "(null)";
  return or_null(shown_gres(gres_total_text(gres_on(*step.gres, step.shares[0].node))));
}
std::int64_t user_id(S s) { return s.job->spec().uid.value; }

std::string ports_text(S s) {
  const Step& step = s.step();
  if (step.ports == 0) return "(null)";
  if (step.ports == 1) return number(step.first_port);
  return fmt::format("{}-{}", step.first_port, step.first_port + step.ports - 1);
}

std::string limit_text(S s) {
  Instant end = s.step().limit_end;
  if (!end || end >= kNever) return "UNLIMITED";
  return print_span(end - s.step().start);
}

std::uint32_t cpus(S s) {
  std::uint32_t sum = 0;
  for (const StepShare& share : s.step().shares) sum += share.cpus;
  return sum ? sum : s.step().tasks * s.step().cpus_per_task;
}

// Numbered steps of a job in their order, then its batch script and the others that have a name.
std::int64_t step_order(S s) {
  return (static_cast<std::int64_t>(s.row->job.value) << 32) + s.step().id.value;
}

std::string task_text(S s) {
  std::uint32_t task = s.job->job().array_task;
  return task == kNoTask ? "N/A" : number(task);
}

const StepTexts& texts(S s) { return *s.step().texts; }
std::string asked(const std::string& list) { return or_null(shown_gres(list)); }

std::string freq_text(S s) {
  const std::string& wish = texts(s).cpu_freq;
  return wish.empty() ? "Unknown-Unknown:Unknown" : wish;
}

}  // namespace

const std::vector<Column<StepView>>& step_columns() {
  static const std::vector<Column<StepView>> columns = {
      {'i', "stepid", "STEPID",
       [](S s) { return fmt::format("{}.{}", shown_id(*s.job), step_name(s.step().id)); },
       step_order},
      {'j', "stepname", "NAME", [](S s) { return s.step().name; }},
      {0, "name", "NAME", [](S s) { return s.step().name; }},
      {'P', "partition", "PARTITION", [](S s) { return s.job->row->partition; }},
      {'u', "username", "USER", [](S s) { return shown_user(*s.job); }},
      {'U', "userid", "UID", [](S s) { return number(s.job->spec().uid.value); }, user_id},
      {.letter = 'M',
       .name = "timeused",
       .header = "TIME",
       .extract =
           [](S s) { return print_span(std::max(Duration(0), s.job->now - s.step().start)); },
       .number = [](S s) { return -s.step().start.unix_ms; },
       .spans = true},
      {'S', "starttime", "START_TIME", [](S s) { return show_time(s.step().start, "N/A"); },
       [](S s) { return s.step().start.unix_ms; }},
      {.letter = 'l',
       .name = "timelimit",
       .header = "TIME_LIMIT",
       .extract = limit_text,
       .spans = true},
      {'A', "numtasks", "TASKS", [](S s) { return number(s.step().tasks); },
       [](S s) { return static_cast<std::int64_t>(s.step().tasks); }},
      {'N', "nodes", "NODELIST", [](S s) { return s.row->nodes; }},
      {'b', "tres-per-node", "TRES_PER_NODE", gres_per_node},
      {0, "numcpus", "NUM_CPUS", [](S s) { return number(cpus(s)); },
       [](S s) { return static_cast<std::int64_t>(cpus(s)); }},
      {0, "jobid", "JOB_ID", [](S s) { return number(s.row->job.value); },
       [](S s) { return static_cast<std::int64_t>(s.row->job.value); }},
      {0, "arrayjobid", "ARRAY_JOB_ID", [](S s) { return number(s.job->job().array_job.value); }},
      {0, "arraytaskid", "ARRAY_TASK_ID", task_text},
      {0, "cluster", "CLUSTER", [](S s) { return std::string(s.job->cluster); }},
      {0, "container", "CONTAINER", [](S s) { return or_null(s.step().container); }},
      {0, "containerid", "CONTAINER_ID", [](S s) { return or_null(texts(s).container_id); }},
      {0, "stderr", "STDERR", [](S s) { return step_file(s, texts(s).std_err); }},
      {0, "stdin", "STDIN", [](S s) { return step_file(s, texts(s).std_in); }},
      {0, "stdout", "STDOUT", [](S s) { return step_file(s, texts(s).std_out); }},
      {0, "cpufreq", "CPU_FREQ", freq_text},
      {0, "network", "NETWORK", [](S s) { return or_null(texts(s).network); }},
      {0, "resvport", "RESV_PORTS", ports_text},
      {0, "stepstate", "STATE", [](S) { return std::string("RUNNING"); }},
      {0, "cpus-per-tres", "CPUS_PER_TRES", [](S s) { return asked(texts(s).gres.cpus_per); }},
      {0, "mem-per-tres", "MEM_PER_TRES", [](S s) { return asked(texts(s).gres.memory_per); }},
      {0, "tres-bind", "TRES_BIND", [](S s) { return or_null(texts(s).gres.bind); }},
      {0, "tres-freq", "TRES_FREQ", [](S s) { return or_null(texts(s).gres.freq); }},
      {0, "tres-per-job", "TRES_PER_STEP", gres_of_step},
      {0, "tres-per-step", "TRES_PER_STEP", gres_of_step},
      {0, "tres-per-socket", "TRES_PER_SOCKET",
       [](S s) { return asked(texts(s).gres.per_socket); }},
      {0, "tres-per-task", "TRES_PER_TASK", [](S s) { return asked(texts(s).gres.per_task); }},
  };
  return columns;
}

}  // namespace ym::cli
