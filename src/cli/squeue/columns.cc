// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/columns.h"

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "model/gres_request.h"
#include "model/sharing_variables.h"
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
std::string or_star(std::uint32_t value) { return value ? number(value) : "*"; }
std::string always_none(View) { return "NA"; }
std::string always_null(View) { return "(null)"; }
std::string always_zero(View) { return "0"; }
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
  if (std::uint64_t lowered = view.job().memory->lowered_mb) return print_megabytes(lowered);
  return print_megabytes(spec.memory_per_cpu_mb ? spec.memory_per_cpu_mb : spec.memory_per_node_mb);
}

// A held job has none.
std::uint32_t priority_of(View view) { return view.job().held() ? 0 : view.job().priority; }

std::string priority_fraction(View view) {
  return fmt::format("{:.14f}", static_cast<double>(priority_of(view)) / 4294967295.0);
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
    return left.str(array_text_max());
  }
  return view.job().array_task == kNoTask ? "N/A" : number(view.job().array_task);
}

std::string exit_text(const ExitStatus& exit) {
  return fmt::format("{}:{}", exit.code, exit.signal);
}

std::string shape_text(View view) {
  const JobExtras& extras = view.extras();
  return fmt::format("{}:{}:{}", or_star(extras.sockets_per_node), or_star(extras.cores_per_socket),
                     or_star(extras.binding.threads_per_core));
}

std::string het_text(View view, std::uint64_t value) {
  return view.job().het_job ? number(value) : "N/A";
}
std::string het_set_text(View view) {
  const Job& job = view.job();
  if (!job.het_job) return "N/A";
  std::uint32_t first = job.het_job.value;
  return job.het_count > 1 ? fmt::format("{}-{}", first, first + job.het_count - 1) : number(first);
}

std::string core_spec_text(View view) {
  std::uint32_t count = view.extras().core_spec;
  return count == kNoCoreSpec ? "N/A" : number(count);
}

std::string command_text(View view) {
  std::string out = or_null(view.spec().command);
  for (const std::string& argument : view.extras().arguments) out += " " + argument;
  return out;
}

std::string tres_text(View view) {
  std::string held = allocated_tres(view);
  return held.empty() ? requested_tres(view) : held;
}

std::string nonzero(std::uint32_t value) { return value ? number(value) : ""; }

std::int64_t state_order(View view) {
  return static_cast<int>(view.job().state) + (view.job().completing() ? 100 : 0);
}

constexpr std::int64_t kTaskBits = 32;

// Elements of an array in their order, those that wait together behind those that have begun.
std::int64_t task_order(View view) {
  if (view.task) return *view.task;
  return view.job().array_task;
}
std::int64_t array_order(View view) {
  return view.job().array_job ? view.job().array_job.value : view.job().id.value;
}
std::int64_t id_order(View view) { return array_order(view) << kTaskBits | task_order(view); }

using Columns = std::vector<Column<JobView>>;

Columns identity_columns() {
  return {
      {'i', "jobarrayid", "JOBID", [](View v) { return shown_id(v); }, id_order},
      {'A', "jobid", "JOBID", [](View v) { return number(v.job().id.value); },
       [](View v) { return static_cast<std::int64_t>(v.job().id.value); }},
      {'F', "arrayjobid", "ARRAY_JOB_ID",
       [](View v) { return number(static_cast<std::uint64_t>(array_order(v))); }, array_order},
      {'K', "arraytaskid", "ARRAY_TASK_ID", array_task_text, task_order},
      {'s', "sluid", "SLUID", [](View v) { return encode_sluid(v.job().sluid.value); }},
      {'j', "name", "NAME", [](View v) { return v.spec().name; }},
      {'u', "username", "USER", [](View v) { return shown_user(v); }},
      {'U', "userid", "UID", [](View v) { return number(v.spec().uid.value); },
       [](View v) { return static_cast<std::int64_t>(v.spec().uid.value); }},
      {'g', "groupname", "GROUP", [](View v) { return group_name(v.spec().gid.value); }},
      {'G', "groupid", "GROUP", [](View v) { return number(v.spec().gid.value); }},
      {'a', "account", "ACCOUNT", [](View v) { return or_null(v.spec().account); }},
      {'q', "qos", "QOS", [](View v) { return or_null(v.spec().qos); }},
      {'w', "wckey", "WCKEY", [](View v) { return or_null(v.extras().wckey); }},
      {'k', "comment", "COMMENT", [](View v) { return or_null(v.extras().comment); }},
      {0, "admin_comment", "ADMIN_COMMENT",
       [](View v) { return or_null(v.extras().admin_comment); }},
      {0, "system_comment", "SYSTEM_COMMENT",
       [](View v) { return or_null(v.extras().system_comment); }},
      {0, "mcslabel", "MCSLABEL", [](View v) { return or_null(v.specials().mcs_label); }},
      {0, "cluster", "CLUSTER", [](View v) { return std::string(v.cluster); }},
      {0, "associd", "ASSOC_ID", always_zero},
      {0, "allocsid", "ALLOC_SID", [](View v) { return number(v.specials().alloc_sid); }},
      {0, "hetjobid", "HET_JOB_ID", [](View v) { return het_text(v, v.job().het_job.value); }},
      {0, "hetjobidset", "HET_JOB_ID_SET", het_set_text},
      {0, "hetjoboffset", "HET_JOB_OFFSET", [](View v) { return het_text(v, v.job().het_offset); }},
      {0, "origin", "ORIGIN", always_none},
      {0, "originraw", "ORIGIN_RAW", always_none},
      {0, "siblingsactive", "ACTIVE_SIBLINGS", always_none},
      {0, "siblingsactiveraw", "ACTIVE_SIBLINGS_RAW", always_none},
      {0, "siblingsviable", "VIABLE_SIBLINGS", always_none},
      {0, "siblingsviableraw", "VIALBLE_SIBLINGS_RAW", always_none},
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
       [](View v) { return static_cast<std::int64_t>(priority_of(v)); }},
      {'Q', "prioritylong", "PRIORITY", [](View v) { return number(priority_of(v)); },
       [](View v) { return static_cast<std::int64_t>(priority_of(v)); }},
      {'y', "nice", "NICE", [](View v) { return fmt::format("{}", v.spec().nice); },
       [](View v) { return static_cast<std::int64_t>(v.spec().nice); }},
      {0, "exit_code", "EXIT_CODE", [](View v) { return exit_text(v.job().exit); }},
      {0, "derivedec", "DERIVED_EC", [](View v) { return exit_text(v.job().derived_exit); }},
      {0, "restartcnt", "RESTART_COUNT", [](View v) { return number(v.job().restarts); }},
      {0, "requeue", "REQUEUE", [](View v) { return yes_no(v.spec().requeue); }},
      {0, "cronjob", "CRON_JOB",
       [](View v) { return std::string(v.specials().cron.empty() ? "No" : "Yes"); }},
      {0, "batchflag", "BATCH_FLAG", [](View v) { return yes_no(v.spec().batch); }},
      {0, "reboot", "REBOOT", [](View v) { return yes_no(v.specials().reboot); }},
      {0, "profile", "PROFILE",
       [](View v) {
         return v.specials().profile.empty() ? std::string("NotSet") : v.specials().profile;
       }},
  };
}

Columns time_columns() {
  // What nobody can tell comes last.
  auto start = [](View v) { return start_of(v) ? start_of(v).unix_ms : INT64_MAX; };
  return {
      {.letter = 'M',
       .name = "timeused",
       .header = "TIME",
       .extract = [](View v) { return print_span(time_used(v)); },
       .number = [](View v) { return static_cast<std::int64_t>(time_used(v).count()); },
       .spans = true},
      {.letter = 'l',
       .name = "timelimit",
       .header = "TIME_LIMIT",
       .extract = limit_text,
       .number = [](View v) { return static_cast<std::int64_t>(time_limit_of(v).value_or(0)); },
       .spans = true},
      {.letter = 'L',
       .name = "timeleft",
       .header = "TIME_LEFT",
       .extract = left_text,
       .spans = true},
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
      {0, "mintime", "TIME_MIN",
       [](View v) { return print_span(std::chrono::seconds(v.spec().time_min_s)); }},
      {0, "accruetime", "ACCRUE_TIME",
       [](View v) { return show_time(v.job().held() ? Instant{} : v.job().eligible, "N/A"); }},
      {0, "lastschedeval", "LAST_SCHED_EVAL",
       [](View v) { return show_time(v.row->last_eval, "N/A"); }},
      {0, "preempttime", "PREEMPT_TIME",
       [](View v) { return show_time(v.job().preemption->at, "N/A"); }},
      {0, "resizetime", "RESIZE_TIME", [](View v) { return show_time(v.job().resized, "N/A"); }},
      {0, "delayboot", "DELAY_BOOT",
       [](View v) { return print_span(std::chrono::seconds(v.specials().delay_boot_s)); }},
      {0, "wait4switch", "WAIT4SWITCH",
       [](View v) { return print_span(std::chrono::seconds(v.specials().switch_wait_s)); }},
  };
}

Columns resource_columns() {
  auto cpus = [](View v) { return static_cast<std::int64_t>(cpu_count_of(v)); };
  return {
      {'P', "partition", "PARTITION", [](View v) { return std::string(v.partition()); }},
      {'D', "numnodes", "NODES", [](View v) { return number(node_count_of(v)); },
       [](View v) { return static_cast<std::int64_t>(node_count_of(v)); }},
      {'C', "numcpus", "CPUS", [](View v) { return number(cpu_count_of(v)); }, cpus},
      {0, "maxcpus", "MAX_CPUS", [](View v) { return number(cpu_count_of(v)); }, cpus},
      {0, "maxnodes", "MAX_NODES",
       [](View v) { return number(v.spec().max_nodes ? v.spec().max_nodes : node_count_of(v)); }},
      {0, "numtasks", "TASKS", [](View v) { return number(v.spec().tasks); }},
      {0, "cpus-per-task", "CPUS_PER_TASK", [](View v) { return number(v.spec().cpus_per_task); }},
      {'c', "mincpus", "MIN_CPUS", [](View v) { return number(least_cpus_per_node(v.spec())); }},
      {'m', "minmemory", "MIN_MEMORY", memory_text},
      {'d', "mintmpdisk", "MIN_TMP_DISK",
       [](View v) { return print_megabytes(v.extras().tmp_mb); }},
      {'f', "feature", "FEATURES", [](View v) { return or_null(v.extras().features); }},
      {0, "tres-alloc", "TRES_ALLOC", tres_text},
      {0, "tres", "TRES_ALLOC", tres_text},
      {'W', "licenses", "LICENSES", [](View v) { return or_null(v.extras().licenses); }},
      {0, "licensesalloc", "LICENSES_ALLOC",
       [](View v) { return or_null(v.job().allocation->licenses); }},
      {'v', "reservation", "RESERVATION", [](View v) { return or_null(v.extras().reservation); }},
      {'h', "oversubscribe", "OVER_SUBSCRIBE",
       [](View v) { return std::string(oversubscribe_word(v.spec(), v.row->sharing)); }},
      {0, "exclusive", "EXCLUSIVE",
       [](View v) { return std::string(exclusive_word(v.spec(), v.row->sharing)); }},
      {'O', "contiguous", "CONTIGUOUS", [](View v) { return yes_no(v.spec().contiguous); }},
      {'H', "sockets", "SOCKETS_PER_NODE",
       [](View v) { return or_star(v.extras().sockets_per_node); }},
      {'I', "cores", "CORES_PER_SOCKET",
       [](View v) { return or_star(v.extras().cores_per_socket); }},
      {'J', "threads", "THREADS_PER_CORE",
       [](View v) { return or_star(v.extras().binding.threads_per_core); }},
      {'z', "sct", "S:C:T", shape_text},
      {'X', "corespec", "CORE_SPEC", core_spec_text},
      {0, "network", "NETWORK", [](View v) { return or_null(v.extras().network); }},
  };
}

// Generic resources, switches, and how tasks are to be laid out.
Columns wish_columns() {
  return {
      {'b', "tres-per-node", "TRES_PER_NODE", [](View v) { return or_na(tres_per_node(v)); }},
      {0, "gres", "TRES_PER_NODE", [](View v) { return or_na(tres_per_node(v)); }},
      {0, "tres-per-job", "TRES_PER_JOB",
       [](View v) { return or_na(shown_gres(v.specials().tres_per_job)); }},
      {0, "tres-per-socket", "TRES_PER_SOCKET",
       [](View v) { return or_na(shown_gres(v.specials().tres_per_socket)); }},
      {0, "tres-per-task", "TRES_PER_TASK",
       [](View v) { return or_na(shown_gres(v.specials().tres_per_task)); }},
      {0, "tres-bind", "TRES_BIND", [](View v) { return or_na(v.specials().tres_bind); }},
      {0, "tres-freq", "TRES_FREQ", [](View v) { return or_na(v.specials().tres_freq); }},
      {0, "cpus-per-tres", "CPUS_PER_TRES",
       [](View v) { return or_na(shown_gres(v.specials().cpus_per_tres)); }},
      {0, "mem-per-tres", "MEM_PER_TRES",
       [](View v) { return or_na(shown_gres(v.specials().memory_per_tres)); }},
      {0, "ntperboard", "NTASKS_PER_BOARD", always_zero},
      {0, "ntpercore", "NTASKS_PER_CORE",
       [](View v) { return or_na(nonzero(v.extras().binding.tasks_per_core)); }},
      {0, "ntpernode", "NTASKS_PER_NODE", [](View v) { return number(v.spec().tasks_per_node); }},
      {0, "ntpersocket", "NTASKS_PER_SOCKET",
       [](View v) { return or_na(nonzero(v.extras().binding.tasks_per_socket)); }},
      {0, "boardspernode", "BOARDS_PER_NODE", always_zero},
      {0, "sperboard", "SOCKETS_PER_BOARD", always_zero},
      {0, "reqswitch", "REQ_SWITCH", [](View v) { return number(v.specials().switches); }},
      {0, "segmentsize", "SEGMENT_SIZE", [](View v) { return number(v.specials().segment); }},
      {0, "prefer", "PREFER", [](View v) { return or_null(v.specials().prefer); }},
      {0, "clusterfeature", "CLUSTER_FEATURES",
       [](View v) { return or_null(v.specials().cluster_features); }},
      {0, "burstbuffer", "BURST_BUFFER", [](View v) { return or_null(v.extras().burst_buffer); }},
      {0, "burstbufferstate", "BURST_BUFFER_STATE", always_null},
      {0, "container", "CONTAINER", [](View v) { return or_null(v.extras().container); }},
      {0, "containertype", "CONTAINER_TYPE", always_null},
      {0, "containerid", "CONTAINER_ID", [](View v) { return or_null(v.specials().container_id); }},
  };
}

Columns place_columns() {
  return {
      {'N', "nodelist", "NODELIST", [](View v) { return v.row->nodes; }},
      {'n', "reqnodes", "REQ_NODES", [](View v) { return v.extras().required_nodes; }},
      {'x', "exc_nodes", "EXC_NODES", [](View v) { return v.extras().excluded_nodes; }},
      {0, "excnodes", "EXC_NODES", [](View v) { return v.extras().excluded_nodes; }},
      {'Y', "schednodes", "SCHEDNODES", [](View v) { return or_null(v.row->scheduled_nodes); }},
      {'B', "batchhost", "EXEC_HOST",
       [](View v) { return v.row->batch_host.empty() ? "n/a" : v.row->batch_host; }},
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

// What of a job the columns take that are asked for often; the others take all of it. Whoever
// changes a column's value looks here, too: the test compares them.
struct Needs {
  std::string_view name;
  std::uint64_t fields;
};
constexpr std::uint64_t operator|(JobField a, JobField b) { return bit(a) | bit(b); }
constexpr std::uint64_t operator|(std::uint64_t a, JobField b) { return a | bit(b); }
constexpr Needs kNeeds[] = {
    {"jobarrayid", 0},
    {"jobid", 0},
    {"arrayjobid", 0},
    {"arraytaskid", 0},
    {"hetjobid", 0},
    {"hetjoboffset", 0},
    {"name", bit(JobField::Name)},
    {"username", bit(JobField::User)},
    {"userid", bit(JobField::User)},
    {"groupname", bit(JobField::Group)},
    {"groupid", bit(JobField::Group)},
    {"account", bit(JobField::Account)},
    {"qos", bit(JobField::Account)},
    {"cluster", 0},
    {"statecompact", 0},
    {"state", 0},
    {"reason", bit(JobField::Reason)},
    {"reasonlist", JobField::Reason | JobField::Nodes},
    {"dependency", bit(JobField::Dependency)},
    {"priority", bit(JobField::Priority)},
    {"prioritylong", bit(JobField::Priority)},
    {"nice", bit(JobField::Priority)},
    {"exit_code", bit(JobField::Exit)},
    {"derivedec", bit(JobField::Exit)},
    {"restartcnt", bit(JobField::Exit)},
    {"timeused", bit(JobField::Run)},
    {"timelimit", JobField::Run | JobField::Times},
    {"timeleft", JobField::Run | JobField::Times},
    {"starttime", JobField::Run | JobField::Times | JobField::Expected},
    {"endtime", JobField::Run | JobField::Times | JobField::Expected},
    {"submittime", bit(JobField::Times)},
    {"eligibletime", bit(JobField::Times)},
    {"deadline", bit(JobField::Times)},
    {"pendingtime", JobField::Run | JobField::Times},
    {"partition", bit(JobField::Partition)},
    {"numnodes", bit(JobField::NodeCount)},
    {"numcpus", bit(JobField::CpuCount)},
    {"maxcpus", bit(JobField::CpuCount)},
    {"numtasks", bit(JobField::Size)},
    {"cpus-per-task", bit(JobField::Size)},
    {"mincpus", bit(JobField::Size)},
    {"minmemory", bit(JobField::Size)},
    {"nodelist", bit(JobField::Nodes)},
    {"schednodes", JobField::Nodes | JobField::Expected},
    {"batchhost", bit(JobField::Nodes)},
};

}  // namespace

const Columns& job_columns() {
  static const Columns columns = [] {
    Columns all;
    for (const Columns& some : {identity_columns(), state_columns(), time_columns(),
                                resource_columns(), wish_columns(), place_columns()})
      all.insert(all.end(), some.begin(), some.end());
    for (Column<JobView>& column : all)
      for (const Needs& needs : kNeeds)
        if (needs.name == column.name) column.needs = needs.fields;
    return all;
  }();
  return columns;
}

}  // namespace ym::cli
