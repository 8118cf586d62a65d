// SPDX-License-Identifier: Apache-2.0
// sacct's fields, with the widths that scripts know.
#include <algorithm>

#include "cli/common/local.h"
#include "cli/sacct/sacct.h"
#include "notation/hostlist.h"
#include "notation/job_id.h"
#include "notation/size.h"
#include "notation/time_limit.h"
#include "notation/tres.h"

namespace ym::cli {
namespace {

using Row = const SacctRow&;

std::string number(std::uint64_t value) { return fmt::format("{}", value); }
std::string empty(Row) { return {}; }
std::string zero(Row) { return "0"; }
std::string unknown(Row) { return "Unknown"; }

// The value of a job's line; steps have none.
template <auto Extract>
std::string of_job(Row row) {
  return row.step ? std::string() : Extract(row.job);
}

std::string size_text(std::uint64_t bytes, Row row) {
  constexpr std::string_view kUnits = "KMGTPE";
  if (row.settings->unit) {
    auto at = kUnits.find(row.settings->unit);
    double shown = static_cast<double>(bytes);
    for (std::size_t i = 0; i <= at; ++i) shown /= 1024;
    return fmt::format("{:.2f}{}", shown, row.settings->unit);
  }
  if (!row.settings->convert) return fmt::format("{}K", bytes / 1024);
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? number(bytes) : fmt::format("{}{}", bytes, kUnits[unit - 1]);
}

// Measured values are a step's; nothing where nothing was measured.
template <auto Member>
std::string extreme_kb(Row row) {
  if (!row.step || !row.step->step.usage.tasks) return {};
  return size_text((row.step->step.usage.*Member).value * 1024, row);
}
template <auto Member>
std::string extreme_bytes(Row row) {
  if (!row.step || !row.step->step.usage.tasks) return {};
  return size_text((row.step->step.usage.*Member).value, row);
}
template <auto Member>
std::string extreme_node(Row row) {
  return row.step && row.step->step.usage.tasks ? (row.step->step.usage.*Member).node : "";
}
template <auto Member>
std::string extreme_task(Row row) {
  if (!row.step || !row.step->step.usage.tasks) return {};
  return number((row.step->step.usage.*Member).task);
}
std::optional<std::uint64_t> average(Row row, std::uint64_t Usage::* member) {
  if (!row.step || !row.step->step.usage.tasks) return std::nullopt;
  return row.step->step.usage.total.*member / row.step->step.usage.tasks;
}
template <auto Member, std::uint64_t Unit>
std::string average_size(Row row) {
  auto value = average(row, Member);
  return value ? size_text(*value * Unit, row) : "";
}

// "00:01.250", or "01:00:00" from an hour on.
std::string cpu_text(std::uint64_t ms) {
  if (ms >= 3'600'000) return print_span_long(Duration(static_cast<Duration::rep>(ms)));
  return fmt::format("{:02}:{:02}.{:03}", ms / 60'000, ms / 1000 % 60, ms % 1000);
}
std::string total_cpu(Row row) {
  Usage total = used_by(row).total;
  return cpu_text(total.user_ms + total.system_ms);
}
std::string average_cpu(Row row) {
  auto user = average(row, &Usage::user_ms), system = average(row, &Usage::system_ms);
  if (!user || !system) return {};
  return print_span_long(Duration(static_cast<Duration::rep>(*user + *system)));
}
std::string min_cpu(Row row) {
  if (!row.step || !row.step->step.usage.tasks) return {};
  auto ms = static_cast<Duration::rep>(row.step->step.usage.min_cpu_ms.value);
  return print_span_long(Duration(ms));
}

std::string exit_text(const ExitStatus& exit) {
  return fmt::format("{}:{}", exit.code, exit.signal);
}
std::string exit_of(Row row) {
  return exit_text(row.step ? row.step->step.worst : row.job.job().exit);
}

std::string id_of(Row row) {
  if (!row.step) return shown_id(row.job);
  return fmt::format("{}.{}", shown_id(row.job), step_name(row.step->step.id));
}
std::string raw_id_of(Row row) {
  std::string id = number(row.job.job().id.value);
  return row.step ? fmt::format("{}.{}", id, step_name(row.step->step.id)) : id;
}

std::uint32_t nodes_of(Row row) {
  if (row.step) return std::max(1u, static_cast<std::uint32_t>(row.step->step.shares.size()));
  return node_count_of(row.job);
}
bool placed(Row row) { return !row.job.job().allocation->nodes.empty(); }
std::string node_list(Row row) {
  if (row.step) return row.step->nodes;
  return row.job.row->nodes.empty() ? "None assigned" : row.job.row->nodes;
}

std::string tres_of(Row row) {
  if (!placed(row)) return {};
  if (!row.step) return allocated_tres(row.job);
  Tres tres;
  tres.set("cpu", cpus_of(row));
  std::uint64_t memory_mb = 0;
  for (const StepShare& share : row.step->step.shares) memory_mb += share.memory_mb;
  if (memory_mb) tres.set("mem", memory_mb);
  tres.set("node", nodes_of(row));
  return tres.str();
}
std::string requested_memory(Row row) {
  if (row.step) return {};
  const JobSpec& spec = row.job.spec();
  std::uint64_t mb = spec.memory_per_cpu_mb ? spec.memory_per_cpu_mb * cpu_count_of(row.job)
                                            : spec.memory_per_node_mb * node_count_of(row.job);
  if (row.settings->unit) return size_text(mb << 20, row);
  return print_megabytes(mb);
}

// Of a step only what it was given itself: nothing where the job's is the only one.
std::optional<std::uint32_t> step_limit_s(const Step& step) {
  if (!step.limit_end || step.limit_end >= kNever) return std::nullopt;
  return static_cast<std::uint32_t>((step.limit_end - step.start).count() / 1000);
}
std::string limit_text(Row row) {
  auto limit = row.step ? step_limit_s(row.step->step) : time_limit_of(row.job);
  if (!limit) return row.step ? "" : "Partition_Limit";
  if (*limit == JobSpec::kUnlimited) return "UNLIMITED";
  return print_span_long(std::chrono::seconds(*limit));
}
std::string limit_minutes(Row row) {
  auto limit = row.step ? step_limit_s(row.step->step) : time_limit_of(row.job);
  if (!limit) return row.step ? "" : "Partition_Limit";
  return *limit == JobSpec::kUnlimited ? "UNLIMITED" : number(*limit / 60);
}

std::uint64_t seconds_of(Duration span) {
  return static_cast<std::uint64_t>(std::max<Duration::rep>(0, span.count() / 1000));
}
Duration cpu_time(Row row) { return Duration(seconds_of(elapsed(row)) * 1000 * cpus_of(row)); }
// What it waited for, from when it could have begun.
Duration planned(const JobView& job) {
  Instant eligible = job.job().eligible, start = job.job().start;
  return eligible && start > eligible ? start - eligible : Duration(0);
}
std::string time_text(Instant time) { return show_time(time, "Unknown"); }

// As it was given, unless --expand-patterns wants what it became.
std::string file_text(Row row, const std::string& pattern) {
  if (row.step || pattern.empty()) return {};
  return row.settings->expand ? shown_file(row.job, pattern) : pattern;
}

std::vector<SacctField> identity_fields() {
  return {
      {"JobID", 12, id_of, true},
      {"JobIDRaw", 12, raw_id_of, true},
      {"SLUID", 14, [](Row r) { return encode_sluid(r.job.job().sluid.value); }},
      {"JobName", 10, [](Row r) { return r.step ? r.step->step.name : r.job.spec().name; }},
      {"User", 9, of_job<shown_user>},
      {"UID", 6, [](Row r) { return r.step ? "" : number(r.job.spec().uid.value); }},
      {"Group", 9, [](Row r) { return r.step ? "" : group_name(r.job.spec().gid.value); }},
      {"GID", 6, [](Row r) { return r.step ? "" : number(r.job.spec().gid.value); }},
      {"Account", 10, [](Row r) { return r.job.spec().account; }},
      {"Partition", 10, [](Row r) { return r.step ? "" : r.job.row->partition; }},
      {"QOS", 10, [](Row r) { return r.step ? "" : r.job.spec().qos; }},
      {"QOSREQ", 10, [](Row r) { return r.step ? "" : r.job.spec().qos; }},
      {"QOSRAW", 10, empty},
      {"AssocID", 7, zero},
      {"DBIndex", 10, zero},
      {"Cluster", 10, [](Row r) { return std::string(r.job.cluster); }},
      {"WCKey", 10, [](Row r) { return r.step ? "" : r.job.extras().wckey; }},
      {"WCKeyID", 10, zero},
      {"Comment", 14, [](Row r) { return r.step ? "" : r.job.extras().comment; }},
      {"AdminComment", 19, [](Row r) { return r.step ? "" : r.job.extras().admin_comment; }},
      {"SystemComment", 19, [](Row r) { return r.step ? "" : r.job.extras().system_comment; }},
      {"Extra", 19, [](Row r) { return r.step ? "" : r.job.extras().extra; }},
      {"Constraints", 19, [](Row r) { return r.step ? "" : r.job.extras().features; }},
      {"Container", 20,
       [](Row r) { return r.step ? r.step->step.container : r.job.extras().container; }},
      {"Licenses", 20, [](Row r) { return r.step ? "" : r.job.extras().licenses; }},
      {"McsLabel", 8, [](Row r) { return r.step ? "" : r.job.specials().mcs_label; }},
      {"Reservation", 20, [](Row r) { return r.step ? "" : r.job.extras().reservation; }},
      {"ReqReservation", 20, [](Row r) { return r.step ? "" : r.job.extras().reservation; }},
      {"ReservationId", 20, empty},
      {"SegmentSize", 12, [](Row r) { return r.step ? "" : number(r.job.specials().segment); }},
      {"SubmitLine", 20,
       [](Row r) {
         return on_one_line(r.step ? r.step->step.texts->submit_line : r.job.spec().submit_line);
       }},
      {"WorkDir", 20, [](Row r) { return r.step ? "" : r.job.spec().work_dir; }},
      {"StdOut", 20, [](Row r) { return file_text(r, r.job.spec().std_out); }},
      {"StdErr", 20, [](Row r) { return file_text(r, r.job.extras().std_err); }},
      {"StdIn", 20, [](Row r) { return file_text(r, r.job.extras().std_in); }},
  };
}

std::vector<SacctField> state_fields() {
  return {
      {"State", 10, sacct_state},
      {"ExitCode", 8, exit_of},
      {"DerivedExitCode", 15,
       [](Row r) { return r.step ? "" : exit_text(r.job.job().derived_exit); }},
      {"Reason", 22, of_job<reason_of>},
      {"Priority", 10, [](Row r) { return r.step ? "" : number(r.job.job().priority); }},
      {"Restarts", 8, [](Row r) { return r.step ? "" : number(r.job.job().restarts); }},
      {"Flags", 20, [](Row r) { return r.step ? "" : std::string("StartRecieved"); }},
      {"FailedNode", 19, empty},
      {"Submit", 19, [](Row r) { return time_text(r.step ? start_of(r) : r.job.job().submit); }},
      {"Eligible", 19,
       [](Row r) { return time_text(r.step ? start_of(r) : r.job.job().eligible); }},
      {"Start", 19, [](Row r) { return time_text(start_of(r)); }},
      {"End", 19, [](Row r) { return time_text(end_of(r)); }},
      {"Elapsed", 10, [](Row r) { return print_span_long(elapsed(r)); }},
      {"ElapsedRaw", 10, [](Row r) { return number(seconds_of(elapsed(r))); }},
      {"Suspended", 10,
       [](Row r) { return print_span_long(r.step ? Duration(0) : r.job.job().suspended_for); }},
      {"Planned", 10, [](Row r) { return r.step ? "" : print_span_long(planned(r.job)); }},
      {"PlannedCPU", 10,
       [](Row r) {
         return r.step ? "" : print_span_long(planned(r.job) * static_cast<int>(cpus_of(r)));
       }},
      {"PlannedCPURAW", 13,
       [](Row r) { return r.step ? "" : number(seconds_of(planned(r.job)) * cpus_of(r)); }},
      {"Timelimit", 10, limit_text},
      {"TimelimitRaw", 12, limit_minutes},
      {"CPUTime", 10, [](Row r) { return print_span_long(cpu_time(r)); }},
      {"CPUTimeRAW", 10, [](Row r) { return number(seconds_of(cpu_time(r))); }},
      {"TotalCPU", 10, total_cpu},
      {"UserCPU", 10, [](Row r) { return cpu_text(used_by(r).total.user_ms); }},
      {"SystemCPU", 10, [](Row r) { return cpu_text(used_by(r).total.system_ms); }},
  };
}

std::vector<SacctField> resource_fields() {
  return {
      {"AllocCPUS", 10, [](Row r) { return number(placed(r) ? cpus_of(r) : 0); }},
      {"NCPUS", 10, [](Row r) { return number(cpus_of(r)); }},
      {"ReqCPUS", 8, [](Row r) { return number(cpus_of(r)); }},
      {"AllocNodes", 10, [](Row r) { return number(placed(r) ? nodes_of(r) : 0); }},
      {"NNodes", 8, [](Row r) { return number(nodes_of(r)); }},
      {"ReqNodes", 8, [](Row r) { return r.step ? "" : number(nodes_of(r)); }},
      {"NodeList", 15, node_list},
      {"NTasks", 8, [](Row r) { return r.step ? number(r.step->step.tasks) : ""; }},
      {"ReqMem", 10, requested_memory},
      {"AllocTRES", 10, tres_of},
      {"ReqTRES", 10, of_job<requested_tres>},
      {"Layout", 9, [](Row r) { return r.step ? std::string("Block") : ""; }},
      {"BlockID", 22, empty},
      {"AveCPU", 10, average_cpu},
      {"MinCPU", 10, min_cpu},
      {"MinCPUNode", 10, extreme_node<&StepUsage::min_cpu_ms>},
      {"MinCPUTask", 10, extreme_task<&StepUsage::min_cpu_ms>},
      {"AveCPUFreq", 10, [](Row r) { return std::string(r.step ? "0" : ""); }},
      {"ReqCPUFreq", 10, [](Row r) { return r.step ? "" : std::string("Unknown"); }},
      {"ReqCPUFreqMin", 13, unknown},
      {"ReqCPUFreqMax", 13, unknown},
      {"ReqCPUFreqGov", 13, unknown},
      {"ConsumedEnergy", 14, zero},
      {"ConsumedEnergyRaw", 17, zero},
  };
}

std::vector<SacctField> usage_fields() {
  using U = StepUsage;
  return {
      {"MaxRSS", 10, extreme_kb<&U::max_rss_kb>},
      {"MaxRSSNode", 10, extreme_node<&U::max_rss_kb>},
      {"MaxRSSTask", 10, extreme_task<&U::max_rss_kb>},
      {"AveRSS", 10, average_size<&Usage::max_rss_kb, 1024>},
      {"MaxVMSize", 10, extreme_kb<&U::max_vm_kb>},
      {"MaxVMSizeNode", 14, extreme_node<&U::max_vm_kb>},
      {"MaxVMSizeTask", 14, extreme_task<&U::max_vm_kb>},
      {"AveVMSize", 10, average_size<&Usage::max_vm_kb, 1024>},
      {"MaxPages", 8,
       [](Row r) {
         return r.step && r.step->step.usage.tasks ? number(r.step->step.usage.max_faults.value)
                                                   : "";
       }},
      {"MaxPagesNode", 12, extreme_node<&U::max_faults>},
      {"MaxPagesTask", 14, extreme_task<&U::max_faults>},
      {"AvePages", 10,
       [](Row r) {
         auto value = average(r, &Usage::major_faults);
         return value ? number(*value) : "";
       }},
      {"MaxDiskRead", 12, extreme_bytes<&U::max_read>},
      {"MaxDiskReadNode", 15, extreme_node<&U::max_read>},
      {"MaxDiskReadTask", 15, extreme_task<&U::max_read>},
      {"AveDiskRead", 14, average_size<&Usage::read_bytes, 1>},
      {"MaxDiskWrite", 12, extreme_bytes<&U::max_write>},
      {"MaxDiskWriteNode", 16, extreme_node<&U::max_write>},
      {"MaxDiskWriteTask", 16, extreme_task<&U::max_write>},
      {"AveDiskWrite", 14, average_size<&Usage::write_bytes, 1>},
  };
}

}  // namespace

const std::vector<SacctField>& sacct_fields() {
  static const std::vector<SacctField> fields = [] {
    std::vector<SacctField> all;
    for (const auto& some : {identity_fields(), state_fields(), resource_fields(), usage_fields(),
                             tres_usage_fields()})
      all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end(), [](const SacctField& a, const SacctField& b) {
      return to_lower(a.name) < to_lower(b.name);
    });
    return all;
  }();
  return fields;
}

}  // namespace ym::cli
