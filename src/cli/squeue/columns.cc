// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/columns.h"

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "notation/hostlist.h"
#include "notation/job_id.h"
#include "notation/size.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using View = const JobView&;

std::string number(std::uint64_t value) { return fmt::format("{}", value); }
std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }
std::string or_na(const std::string& text) { return text.empty() ? "N/A" : text; }
std::string yes_no(bool value) { return value ? "1" : "0"; }

std::string limit_text(View view) {
  auto limit = time_limit_of(view);
  if (!limit) return "NOT_SET";
  if (*limit == JobSpec::kUnlimited) return "UNLIMITED";
  return print_span(std::chrono::seconds(*limit));
}

std::string left_text(View view) {
  auto limit = time_limit_of(view);
  if (!limit) return "NOT_SET";
  if (*limit == JobSpec::kUnlimited) return "UNLIMITED";
  return print_span(Duration(std::chrono::seconds(*limit)) - time_used(view));
}

std::string memory_text(View view) {
  const JobSpec& spec = view.spec();
  return print_megabytes(spec.memory_per_cpu_mb ? spec.memory_per_cpu_mb : spec.memory_per_node_mb);
}

std::string priority_fraction(View view) {
  return fmt::format("{:.14f}", static_cast<double>(view.job().priority) / 4294967295.0);
}

std::string dependency_text(View view) {
  std::string text = view.job().dependency->shown();
  return text.empty() ? "(null)" : text;
}

std::string array_task_text(View view) {
  if (view.task) return number(*view.task);
  if (view.job().array) {
    ArrayExpression left{.indices = view.job().array->waiting,
                         .max_running = view.job().array->max_running};
    return left.str(ArrayExpression::kShownMax);
  }
  return view.job().array_task == kNoTask ? "N/A" : number(view.job().array_task);
}

std::string shared_text(View view) {
  if (view.spec().exclusive) return "NO";
  return view.spec().oversubscribe ? "YES" : "OK";
}

std::string exit_text(const ExitStatus& exit) {
  return fmt::format("{}:{}", exit.code, exit.signal);
}

std::string command_text(View view) {
  std::string out = or_null(view.spec().command);
  for (const std::string& argument : view.extras().arguments) out += " " + argument;
  return out;
}

std::int64_t state_order(View view) {
  return static_cast<int>(view.job().state) + (view.job().completing() ? 100 : 0);
}

using Columns = std::vector<Column<JobView>>;

Columns identity_columns() {
  return {
      {'i', "jobarrayid", "JOBID", [](View v) { return shown_id(v); },
       [](View v) { return static_cast<std::int64_t>(v.job().id.value); }},
      {'A', "jobid", "JOBID", [](View v) { return number(v.job().id.value); },
       [](View v) { return static_cast<std::int64_t>(v.job().id.value); }},
      {'F', "arrayjobid", "ARRAY_JOB_ID",
       [](View v) {
         return number(v.job().array_job ? v.job().array_job.value : v.job().id.value);
       }},
      {'K', "arraytaskid", "ARRAY_TASK_ID", array_task_text},
      {0, "sluid", "SLUID", [](View v) { return encode_sluid(v.job().sluid.value); }},
      {'j', "name", "NAME", [](View v) { return v.spec().name; }},
      {'u', "username", "USER", [](View v) { return shown_user(v); }},
      {'U', "userid", "USER", [](View v) { return number(v.spec().uid.value); },
       [](View v) { return static_cast<std::int64_t>(v.spec().uid.value); }},
      {'g', "groupname", "GROUP", [](View v) { return group_name(v.spec().gid.value); }},
      {'G', "groupid", "GROUP", [](View v) { return number(v.spec().gid.value); }},
      {'a', "account", "ACCOUNT", [](View v) { return or_null(v.spec().account); }},
      {'q', "qos", "QOS", [](View v) { return or_null(v.spec().qos); }},
      {'w', "wckey", "WCKEY", [](View v) { return or_null(v.extras().wckey); }},
      {'k', "comment", "COMMENT", [](View v) { return or_null(v.extras().comment); }},
      {0, "admin_comment", "ADMIN_COMMENT",
       [](View v) { return or_null(v.extras().admin_comment); }},
      {0, "mcslabel", "MCSLABEL", [](View) { return std::string("N/A"); }},
  };
}

Columns state_columns() {
  return {
      {'t', "statecompact", "ST", [](View v) { return shown_state_compact(v.job()); }, state_order},
      {'T', "state", "STATE", [](View v) { return shown_state(v.job()); }, state_order},
      {'r', "reason", "REASON", [](View v) { return reason_of(v); }},
      {'R', "reasonlist", "NODELIST(REASON)", [](View v) { return nodes_or_reason(v); }},
      {'E', "dependency", "DEPENDENCY", dependency_text},
      {'p', "priority", "PRIORITY", priority_fraction,
       [](View v) { return static_cast<std::int64_t>(v.job().priority); }},
      {'Q', "prioritylong", "PRIORITY", [](View v) { return number(v.job().priority); },
       [](View v) { return static_cast<std::int64_t>(v.job().priority); }},
      {'y', "nice", "NICE", [](View v) { return fmt::format("{}", v.spec().nice); },
       [](View v) { return static_cast<std::int64_t>(v.spec().nice); }},
      {0, "exit_code", "EXIT_CODE", [](View v) { return exit_text(v.job().exit); }},
      {0, "derivedec", "DERIVED_EC", [](View v) { return exit_text(v.job().derived_exit); }},
      {0, "restartcnt", "RESTART_COUNT", [](View v) { return number(v.job().restarts); }},
      {0, "requeue", "REQUEUE", [](View v) { return yes_no(v.spec().requeue); }},
      {0, "batchflag", "BATCH_FLAG", [](View v) { return yes_no(v.spec().batch); }},
  };
}

Columns time_columns() {
  auto start = [](View v) { return start_of(v).unix_ms; };
  return {
      {'M', "timeused", "TIME", [](View v) { return print_span(time_used(v)); },
       [](View v) { return static_cast<std::int64_t>(time_used(v).count()); }},
      {'l', "timelimit", "TIME_LIMIT", limit_text,
       [](View v) { return static_cast<std::int64_t>(time_limit_of(v).value_or(0)); }},
      {'L', "timeleft", "TIME_LEFT", left_text},
      {'S', "starttime", "START_TIME", [](View v) { return show_time(start_of(v), "N/A"); }, start},
      {'e', "endtime", "END_TIME", [](View v) { return show_time(end_of(v), "N/A"); },
       [](View v) { return end_of(v).unix_ms; }},
      {'V', "submittime", "SUBMIT_TIME", [](View v) { return show_time(v.job().submit, "N/A"); },
       [](View v) { return v.job().submit.unix_ms; }},
      {0, "eligibletime", "ELIGIBLE_TIME",
       [](View v) { return show_time(v.job().eligible, "N/A"); }},
      {0, "deadline", "DEADLINE", [](View v) { return show_time(v.spec().deadline, "N/A"); }},
      {0, "pendingtime", "PENDING_TIME",
       [](View v) {
         Instant until = v.job().start ? v.job().start : v.now;
         return number(static_cast<std::uint64_t>(
             std::max<std::int64_t>(0, (until - v.job().submit).count() / 1000)));
       }},
      {0, "mintime", "MIN_TIME",
       [](View v) {
         return v.spec().time_min_s ? print_span(std::chrono::seconds(v.spec().time_min_s))
                                    : std::string("N/A");
       }},
  };
}

Columns resource_columns() {
  auto cpus = [](View v) { return static_cast<std::int64_t>(cpu_count_of(v)); };
  return {
      {'P', "partition", "PARTITION", [](View v) { return v.row->partition; }},
      {'D', "numnodes", "NODES", [](View v) { return number(node_count_of(v)); },
       [](View v) { return static_cast<std::int64_t>(node_count_of(v)); }},
      {'C', "numcpus", "CPUS", [](View v) { return number(cpu_count_of(v)); }, cpus},
      {0, "maxcpus", "MAX_CPUS", [](View) { return std::string("0"); }},
      {0, "maxnodes", "MAX_NODES", [](View v) { return number(v.spec().max_nodes); }},
      {0, "numtasks", "TASKS", [](View v) { return number(v.spec().tasks); }},
      {0, "cpus-per-task", "CPUS_PER_TASK", [](View v) { return number(v.spec().cpus_per_task); }},
      {'c', "mincpus", "MIN_CPUS",
       [](View v) {
         return number(std::max({1u, v.spec().min_cpus_per_node, v.spec().cpus_per_task}));
       }},
      {'m', "minmemory", "MIN_MEMORY", memory_text},
      {'d', "mintmpdisk", "MIN_TMP_DISK",
       [](View v) { return print_megabytes(v.extras().tmp_mb); }},
      {'f', "feature", "FEATURES", [](View v) { return or_null(v.extras().features); }},
      {'b', "tres-per-node", "TRES_PER_NODE", [](View v) { return or_na(v.extras().gres); }},
      {0, "gres", "TRES_PER_NODE", [](View v) { return or_na(v.extras().gres); }},
      {0, "tres-alloc", "TRES_ALLOC",
       [](View v) {
         std::string held = allocated_tres(v);
         return held.empty() ? requested_tres(v) : held;
       }},
      {'W', "licenses", "LICENSES", [](View v) { return or_null(v.extras().licenses); }},
      {'v', "reservation", "RESERVATION", [](View v) { return or_null(v.extras().reservation); }},
      {'h', "oversubscribe", "OVER_SUBSCRIBE", shared_text},
      {'O', "contiguous", "CONTIGUOUS", [](View v) { return yes_no(v.spec().contiguous); }},
      {'H', "sockets", "SOCKETS_PER_NODE", [](View) { return std::string("*"); }},
      {'I', "cores", "CORES_PER_SOCKET", [](View) { return std::string("*"); }},
      {'J', "threads", "THREADS_PER_CORE", [](View) { return std::string("*"); }},
      {'z', "sct", "S:C:T", [](View) { return std::string("*:*:*"); }},
      {'X', "corespec", "CORE_SPEC", [](View) { return std::string("N/A"); }},
      {0, "network", "NETWORK", [](View v) { return or_null(v.extras().network); }},
  };
}

Columns place_columns() {
  return {
      {'N', "nodelist", "NODELIST", [](View v) { return v.row->nodes; }},
      {0, "nodes", "NODELIST", [](View v) { return v.row->nodes; }},
      {'n', "reqnodes", "REQ_NODES", [](View v) { return v.extras().required_nodes; }},
      {'x', "excnodes", "EXC_NODES", [](View v) { return v.extras().excluded_nodes; }},
      {'Y', "schednodes", "SCHEDNODES", [](View v) { return or_null(v.row->scheduled_nodes); }},
      {'B', "batchhost", "EXEC_HOST", [](View v) { return or_na(v.row->batch_host); }},
      {0, "allocnodes", "ALLOC_NODES", [](View v) { return or_null(v.spec().submit_host); }},
      {'o', "command", "COMMAND", command_text},
      {'Z', "workdir", "WORK_DIR", [](View v) { return v.spec().work_dir; }},
      {0, "stdout", "STDOUT", [](View v) { return shown_file(v, v.spec().std_out); }},
      {0, "stderr", "STDERR",
       [](View v) {
         return shown_file(v, v.extras().std_err.empty() ? v.spec().std_out : v.extras().std_err);
       }},
      {0, "stdin", "STDIN",
       [](View v) {
         return v.extras().std_in.empty() ? "/dev/null" : shown_file(v, v.extras().std_in);
       }},
  };
}

}  // namespace

const Columns& job_columns() {
  static const Columns columns = [] {
    Columns all;
    for (const Columns& some :
         {identity_columns(), state_columns(), time_columns(), resource_columns(), place_columns()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return columns;
}

const std::vector<Column<StepView>>& step_columns() {
  using S = const StepView&;
  static const std::vector<Column<StepView>> columns = {
      {'i', "stepid", "STEPID",
       [](S s) { return fmt::format("{}.{}", shown_id(*s.job), step_name(s.step().id)); }},
      {'j', "stepname", "NAME", [](S s) { return s.step().name; }},
      {'P', "partition", "PARTITION", [](S s) { return s.job->row->partition; }},
      {'u', "username", "USER", [](S s) { return shown_user(*s.job); }},
      {'U', "userid", "USER", [](S s) { return number(s.job->spec().uid.value); }},
      {'M', "timeused", "TIME",
       [](S s) { return print_span(std::max(Duration(0), s.job->now - s.step().start)); }},
      {'S', "starttime", "START_TIME", [](S s) { return show_time(s.step().start, "N/A"); }},
      {'A', "numtasks", "TASKS", [](S s) { return number(s.step().tasks); }},
      {'N', "nodes", "NODELIST", [](S s) { return s.row->nodes; }},
  };
  return columns;
}

}  // namespace ym::cli
