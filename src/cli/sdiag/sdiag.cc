// SPDX-License-Identifier: Apache-2.0
#include "cli/sdiag/sdiag.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

using Settings = SdiagSettings;

std::uint64_t value_of(const Statistics& statistics, std::string_view key) {
  for (const KeyValue& one : statistics.values)
    if (one.key == key) return parse_unsigned<std::uint64_t>(one.value).value_or(0);
  return 0;
}

Instant time_of(const Statistics& statistics, std::string_view key) {
  return Instant::from_unix_seconds(static_cast<std::int64_t>(value_of(statistics, key)));
}

// "Mon Nov 16 03:59:07 2026 (1794801547)"
std::string dated(Instant time) {
  std::string text = date_line(time);
  if (!text.empty()) text.pop_back();
  return fmt::format("{} ({})", text, time.unix_seconds());
}

std::uint64_t average(const MessageCount& one) { return one.count ? one.total_us / one.count : 0; }

void put_in_order(std::vector<MessageCount>& counts, MessageSort order) {
  auto key = [&](const MessageCount& one) -> std::uint64_t {
    switch (order) {
      case MessageSort::Id: return ~std::uint64_t{one.number};
      case MessageSort::Time: return one.total_us;
      case MessageSort::Average: return average(one);
      case MessageSort::Count: break;
    }
    return one.count;
  };
  std::sort(counts.begin(), counts.end(), [&](const MessageCount& a, const MessageCount& b) {
    return key(a) != key(b) ? key(a) > key(b) : a.number < b.number;
  });
}

void append_counts(std::string& out, std::string_view heading,
                   const std::vector<MessageCount>& counts, int name_width, int number_width) {
  out += fmt::format("\n{}\n", heading);
  for (const MessageCount& one : counts)
    out += fmt::format("\t{:<{}} ({:>{}}) count:{:<6} ave_time:{:<6} total_time:{}\n",
                       printable(one.name), name_width, one.number, number_width, one.count,
                       average(one), one.total_us);
}

struct Waiting {
  std::string_view reason;
  std::uint64_t jobs = 0;
};
// What keeps jobs waiting, the most frequent first.
std::vector<Waiting> waiting_by_reason(const Statistics& statistics) {
  constexpr std::string_view kPrefix = "reason_";
  std::vector<Waiting> out;
  for (const KeyValue& one : statistics.values) {
    std::string_view key = one.key;
    if (key.starts_with(kPrefix))
      out.push_back({key.substr(kPrefix.size()), value_of(statistics, key)});
  }
  std::ranges::sort(out, {}, [](const Waiting& one) { return std::pair(~one.jobs, one.reason); });
  return out;
}

// How long it takes to look at the clock a thousand times.
std::int64_t clock_latency_us() {
  Instant begin = wall_clock();
  Duration from = monotonic_clock();
  for (int i = 0; i < 1000; ++i)
    if (wall_clock() < begin) break;
  return std::chrono::duration_cast<std::chrono::microseconds>(monotonic_clock() - from).count();
}

int show(const Settings& settings, Controller& controller) {
  auto statistics = controller.ask<Statistics>(QueryStatistics{.reset = settings.reset});
  if (!statistics) {
    print_error(fmt::format("{}: {}\n",
                            settings.reset ? "slurm_reset_statistics" : "slurm_get_statistics",
                            statistics.error().text));
    return 1;
  }
  if (settings.reset)
    print("Reset scheduling statistics\n");
  else if (settings.report.notation)
    print(statistics_data(settings, *statistics, wall_clock()));
  else
    print(render_statistics(settings, std::move(*statistics), wall_clock()));
  return 0;
}

Status check(Settings&, const std::vector<std::string>& operands) {
  if (operands.empty()) return {};
  return fail(fmt::format("Unrecognized option: {}", printable(operands[0])));
}

template <MessageSort Order>
Status sort_by(Settings& settings, std::string_view) {
  settings.sort = Order;
  return {};
}

void write_counts(DataWriter& data, std::string_view key, std::string_view id,
                  const std::vector<MessageCount>& counts, bool user) {
  data.begin_list(key);
  for (const MessageCount& one : counts) {
    data.begin_map().text(user ? "user" : "message_type", one.name);
    data.integer(id, one.number).integer("count", static_cast<std::int64_t>(one.count));
    data.number("average_time", average(one));
    data.integer("total_time", static_cast<std::int64_t>(one.total_us)).end();
  }
  data.end();
}

struct Exit {
  const char *text, *name, *key;  // as people read it, in JSON, of ours; no key: never
};
// Quick passes look at all that changed, whatever there is of it.
constexpr std::array<Exit, 6> kQuickExits = {
    {{"End of job queue", "end_job_queue", "quick_exit_end"},
     {"Hit default_queue_depth", "default_queue_depth", nullptr},
     {"Hit sched_max_job_start", "max_job_start", "quick_exit_starts_max"},
     {"Blocked on licenses", "licenses", nullptr},
     {"Hit max_rpc_cnt", "max_rpc_cnt", nullptr},
     {"Timeout (max_sched_time)", "max_sched_time", "quick_exit_out_of_time"}}};
constexpr std::array<Exit, 6> kFullExits = {
    {{"End of job queue", "end_job_queue", "full_exit_end"},
     {"Hit bf_max_job_start", "bf_max_job_start", "full_exit_starts_max"},
     {"Hit bf_max_job_test", "bf_max_job_test", "full_exit_promises_max"},
     {"System state changed", "state_changed", nullptr},
     {"Hit table size limit (bf_node_space_size)", "bf_node_space_size", nullptr},
     {"Timeout (bf_max_time)", "bf_max_time", "full_exit_out_of_time"}}};

std::string exit_lines(std::string_view heading, const std::array<Exit, 6>& exits,
                       const Statistics& s) {
  std::string out = fmt::format("\t{}\n", heading);
  for (const Exit& one : exits)
    out += fmt::format("\t\t{}: {}\n", one.text, one.key ? value_of(s, one.key) : 0);
  return out;
}

void write_exits(DataWriter& data, std::string_view key, const std::array<Exit, 6>& exits,
                 const Statistics& s) {
  data.begin_map(key);
  for (const Exit& one : exits)
    data.integer(one.name, one.key ? static_cast<std::int64_t>(value_of(s, one.key)) : 0);
  data.end();
}

std::uint64_t mean(const Statistics& s, std::string_view total, std::string_view count) {
  std::uint64_t of = value_of(s, count);
  return of ? value_of(s, total) / of : 0;
}

std::uint64_t per_minute(const Statistics& s, Instant now) {
  std::int64_t minutes = (now.unix_seconds() - time_of(s, "since").unix_seconds()) / 60;
  return minutes > 0 ? value_of(s, "plans") / static_cast<std::uint64_t>(minutes) : 0;
}

// As Slurm's main scheduler: what each change lets start. Its count has those of the whole queue in
// it.
std::string quick_passes(const Statistics& s, Instant now) {
  auto count = [&](const char* key) { return value_of(s, key); };
  std::string out = fmt::format(
      "Main schedule statistics (microseconds):\n\tLast cycle:   {}\n\tMax cycle:    {}\n"
      "\tTotal cycles: {}\n\tMean cycle:   {}\n\tMean depth cycle:  {}\n",
      count("plan_last_us"), count("plan_max_us"), count("plans"),
      mean(s, "plan_total_us", "plans"), mean(s, "depth_total", "plans"));
  if (std::uint64_t cycles = per_minute(s, now); cycles > 0)
    out += fmt::format("\tCycles per minute: {}\n", cycles);
  out += fmt::format("\tLast queue length: {}\n\n", count("pending"));
  return out + exit_lines("Main scheduler exit:", kQuickExits, s) + "\n";
}

// As Slurm's backfill scheduler: the whole queue, with a start promised to those who wait. Its
// table has a time for each promise.
std::string full_passes(const Statistics& s) {
  auto count = [&](const char* key) { return value_of(s, key); };
  std::string out = fmt::format(
      "Backfilling stats\n\tTotal backfilled jobs (since last slurm start): {}\n"
      "\tTotal backfilled jobs (since last stats cycle start): {}\n"
      "\tTotal backfilled heterogeneous job components: {}\n\tTotal cycles: {}\n"
      "\tLast cycle when: {}\n\tLast cycle: {}\n\tMax cycle:  {}\n",
      count("full_started_ever"), count("full_started"), count("full_components_ever"),
      count("full_plans"), count("full_plans") ? dated(time_of(s, "full_at")) : "N/A",
      count("full_plan_last_us"), count("full_plan_max_us"));
  bool some = count("full_plans") > 0;
  auto line = [&](std::string_view label, std::uint64_t value) {
    out += fmt::format("\t{}: {}\n", label, value);
  };
  if (some) line("Mean cycle", mean(s, "full_plan_total_us", "full_plans"));
  line("Last depth cycle", count("full_depth_last"));
  line("Last depth cycle (try sched)", count("full_depth_last"));
  if (some) line("Depth Mean", mean(s, "full_depth_total", "full_plans"));
  if (some) line("Depth Mean (try depth)", mean(s, "full_depth_total", "full_plans"));
  line("Last queue length", count("full_queue_last"));
  if (some) line("Queue length mean", mean(s, "full_queue_total", "full_plans"));
  line("Last table size", count("full_promised_last"));
  if (some) line("Mean table size", mean(s, "full_promised_total", "full_plans"));
  line("Stale starts", count("starts_refused"));
  return out + "\n" + exit_lines("Backfill exit", kFullExits, s) + "\n";
}

void write_passes(DataWriter& data, const Statistics& s, Instant now) {
  auto put = [&](const char* key, std::uint64_t value) {
    data.integer(key, static_cast<std::int64_t>(value));
  };
  auto count = [&](const char* key) { return value_of(s, key); };
  put("schedule_cycle_max", count("plan_max_us"));
  put("schedule_cycle_last", count("plan_last_us"));
  put("schedule_cycle_sum", count("plan_total_us"));
  put("schedule_cycle_total", count("plans"));
  put("schedule_cycle_mean", mean(s, "plan_total_us", "plans"));
  put("schedule_cycle_mean_depth", mean(s, "depth_total", "plans"));
  put("schedule_cycle_per_minute", per_minute(s, now));
  put("schedule_cycle_depth", count("depth_total"));
  put("schedule_queue_length", count("pending"));
  write_exits(data, "schedule_exit", kQuickExits, s);
  put("bf_backfilled_jobs", count("full_started_ever"));
  put("bf_last_backfilled_jobs", count("full_started"));
  put("bf_backfilled_het_jobs", count("full_components_ever"));
  put("bf_cycle_counter", count("full_plans"));
  put("bf_cycle_mean", mean(s, "full_plan_total_us", "full_plans"));
  put("bf_cycle_last", count("full_plan_last_us"));
  put("bf_cycle_max", count("full_plan_max_us"));
  put("bf_cycle_sum", count("full_plan_total_us"));
  for (const char* key : {"bf_depth_mean", "bf_depth_mean_try"})
    put(key, mean(s, "full_depth_total", "full_plans"));
  for (const char* key : {"bf_depth_sum", "bf_depth_try_sum"}) put(key, count("full_depth_total"));
  for (const char* key : {"bf_last_depth", "bf_last_depth_try"}) put(key, count("full_depth_last"));
  put("bf_queue_len", count("full_queue_last"));
  put("bf_queue_len_mean", mean(s, "full_queue_total", "full_plans"));
  put("bf_queue_len_sum", count("full_queue_total"));
  put("bf_table_size", count("full_promised_last"));
  put("bf_table_size_mean", mean(s, "full_promised_total", "full_plans"));
  put("bf_table_size_sum", count("full_promised_total"));
  data.number("bf_when_last_cycle", count("full_at"));
  write_exits(data, "bf_exit", kFullExits, s);
}

}  // namespace

std::string render_statistics(const Settings& settings, Statistics s, Instant now) {
  std::string line(55, '*');
  auto count = [&](const char* key) { return value_of(s, key); };
  Instant since = time_of(s, "since");
  std::string out = fmt::format("{0}\nsdiag output at {1}\nData since      {2}\n{0}\n", line,
                                dated(now), dated(since));
  out += fmt::format(
      "Server thread count:  {}\nAgent queue size:     0\nAgent count:          0\n"
      "Agent thread count:   0\nDBD Agent queue size: 0\n\n",
      count("connections"));
  out += fmt::format(
      "Jobs submitted: {}\nJobs started:   {}\nJobs completed: {}\nJobs canceled:  {}\n"
      "Jobs failed:    {}\n\n",
      count("jobs_submitted"), count("jobs_started"), count("jobs_completed"),
      count("jobs_canceled"), count("jobs_failed"));
  out += fmt::format("Job states ts:  {}\nJobs pending:   {}\nJobs running:   {}\n\n", dated(now),
                     count("pending"), count("running"));
  out += quick_passes(s, now) + full_passes(s);
  out += fmt::format(
      "Planning by question (microseconds):\n\tWhose turn?        {}\n\tDoes it fit now?   {}\n"
      "\tWhen does it fit?  {}\n\tWhom to preempt?   {}\n\tStarts promised:   {}\n\n",
      count("turn_us"), count("now_us"), count("when_us"), count("preempt_us"),
      count("promised_total"));
  out += "Waiting by reason:\n";
  for (const Waiting& one : waiting_by_reason(s))
    out += fmt::format("\t{:<24} {}\n", printable(one.reason), one.jobs);
  out += fmt::format("\nLog\n\tEvents:       {}\n\tGroups:       {}\n\tLast event:   {}\n\n",
                     count("events"), count("batches"), count("sequence"));
  out += fmt::format("Latency for 1000 calls to gettimeofday(): {} microseconds\n",
                     clock_latency_us());
  put_in_order(s.by_kind, settings.sort);
  put_in_order(s.by_user, settings.sort);
  append_counts(out, "Remote Procedure Call statistics by message type", s.by_kind, 40, 5);
  append_counts(out, "Remote Procedure Call statistics by user", s.by_user, 15, 8);
  return out + "\nPending RPC statistics\n\tNo pending RPCs\n";
}

std::string statistics_data(const Settings& settings, const Statistics& s, Instant now) {
  DataWriter data(*settings.report.notation);
  auto put = [&](const char* key, const char* name) {
    data.integer(key, static_cast<std::int64_t>(value_of(s, name)));
  };
  data.begin_map().begin_map("statistics");
  data.number("req_time", static_cast<std::uint64_t>(now.unix_seconds()));
  data.number("req_time_start", value_of(s, "since"));
  put("server_thread_count", "connections");
  data.integer("agent_queue_size", 0).integer("agent_count", 0).integer("agent_thread_count", 0);
  data.integer("dbd_agent_queue_size", 0);
  data.integer("gettimeofday_latency", clock_latency_us());
  write_passes(data, s, now);
  put("jobs_submitted", "jobs_submitted");
  put("jobs_started", "jobs_started");
  put("jobs_completed", "jobs_completed");
  put("jobs_canceled", "jobs_canceled");
  put("jobs_failed", "jobs_failed");
  put("jobs_pending", "pending");
  put("jobs_running", "running");
  data.begin_list("jobs_pending_by_reason");
  for (const Waiting& one : waiting_by_reason(s))
    data.begin_map()
        .text("reason", one.reason)
        .integer("count", static_cast<std::int64_t>(one.jobs))
        .end();
  data.end();
  write_counts(data, "rpcs_by_message_type", "type_id", s.by_kind, false);
  write_counts(data, "rpcs_by_user", "user_id", s.by_user, true);
  data.end();
  write_meta(data, settings.report);
  data.end();
  return data.finish();
}

CommandPage sdiag_page() {
  return {.name = "sdiag",
          .summary = "show how the controller fares",
          .usage = {"[OPTION]..."},
          .description =
              "Counts and times of the controller since its start, or since -r: jobs, rounds of\n"
              "the scheduler, why jobs wait, and messages by kind and by user."};
}

std::vector<Option<SdiagSettings>> sdiag_table() {
  std::vector<Option<Settings>> table = {
      {{.name = "all", .letter = 'a', .help = "Everything; this is usual"}, accept<Settings>},
      {{.name = "reset", .letter = 'r', .help = "Count from now on; administrators only"},
       set_flag<Settings, &Settings::reset>},
      {{.name = "sort-by-id", .letter = 'i', .help = "Messages by their number"},
       sort_by<MessageSort::Id>},
      {{.name = "sort-by-time", .letter = 't', .help = "Messages by the time they took together"},
       sort_by<MessageSort::Time>},
      {{.name = "sort-by-time2", .letter = 'T', .help = "Messages by the time that one took"},
       sort_by<MessageSort::Average>},
      {{.name = "no-trunc", .help = "Taken, without effect: no list is cut off"}, accept<Settings>},
  };
  for (auto& row : look_rows<Settings>())
    if (std::string_view name = row.info.name;
        name == "json" || name == "yaml" || name == "clusters")
      table.push_back(row);
  return table;
}

int sdiag_main(const Arguments& arguments) {
  return run_report<Settings>(
      {.page = sdiag_page(), .table = sdiag_table(), .check = check, .show = show}, arguments);
}

}  // namespace ym::cli
