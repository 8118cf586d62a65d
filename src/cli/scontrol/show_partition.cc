// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/text.h"
#include "cli/common/node_data.h"
#include "cli/scontrol/data.h"
#include "notation/billing.h"
#include "notation/time_limit.h"
#include "notation/tres.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kUnlimited = 0xffffffff;

const char* yes_no(bool value) { return value ? "YES" : "NO"; }

std::string count_or_unlimited(std::uint64_t count, std::uint64_t unlimited = kUnlimited) {
  return count == unlimited ? "UNLIMITED" : fmt::format("{}", count);
}

std::string time_text(std::uint32_t seconds) {
  return seconds == kUnlimited ? "UNLIMITED" : print_span_long(std::chrono::seconds(seconds));
}

std::string allowed(const PartitionSpec& spec) {
  auto all = [](const std::string& text) { return text.empty() ? "ALL" : text; };
  std::string accounts = spec.deny_accounts.empty()
                             ? fmt::format("AllowAccounts={}", all(spec.allow_accounts))
                             : fmt::format("DenyAccounts={}", spec.deny_accounts);
  std::string qos = spec.deny_qos.empty() ? fmt::format("AllowQos={}", all(spec.allow_qos))
                                          : fmt::format("DenyQos={}", spec.deny_qos);
  return fmt::format("AllowGroups={} {} {}", all(spec.allow_groups), accounts, qos);
}

std::string memory_line(const PartitionSpec& spec) {
  std::string usual =
      spec.default_memory_per_cpu_mb
          ? fmt::format("DefMemPerCPU={}", spec.default_memory_per_cpu_mb)
          : fmt::format("DefMemPerNode={}", count_or_unlimited(spec.default_memory_per_node_mb, 0));
  std::string most =
      spec.max_memory_per_cpu_mb
          ? fmt::format("MaxMemPerCPU={}", spec.max_memory_per_cpu_mb)
          : fmt::format("MaxMemPerNode={}", count_or_unlimited(spec.max_memory_per_node_mb, 0));
  return usual + " " + most;
}

void add_rare_lines(std::vector<std::string>& lines, const PartitionSpec& spec) {
  if (!spec.tres_billing_weights.empty())
    lines.push_back(fmt::format("TRESBillingWeights={}", spec.tres_billing_weights));
  if (!spec.cpu_bind.empty()) lines.push_back(fmt::format("CpuBind={}", spec.cpu_bind));
  if (!spec.topology.empty()) lines.push_back(fmt::format("Topology={}", spec.topology));
  auto shown = [](std::uint32_t seconds) {
    return seconds == PartitionSpec::kOfCluster ? "GLOBAL"
           : seconds == kUnlimited              ? "INFINITE"
                                                : fmt::format("{}", seconds);
  };
  constexpr std::uint32_t kUsual = PartitionSpec::kOfCluster;
  if (spec.resume_timeout_s != kUsual || spec.suspend_time_s != kUsual ||
      spec.suspend_timeout_s != kUsual || spec.power_down_on_idle)
    lines.push_back(
        fmt::format("ResumeTimeout={} SuspendTimeout={} SuspendTime={} PowerDownOnIdle={}",
                    shown(spec.resume_timeout_s), shown(spec.suspend_timeout_s),
                    shown(spec.suspend_time_s), yes_no(spec.power_down_on_idle)));
}

}  // namespace

std::string partition_record(const PartitionRow& row, const ScontrolSettings& settings,
                             bool largest_bills) {
  const PartitionSpec& spec = *row.partition.spec;
  Tres tres;
  tres.set("cpu", row.cpus);
  if (row.memory_mb) tres.set("mem", row.memory_mb);
  tres.set("node", row.node_count);
  auto weights = BillingWeights::parse(spec.tres_billing_weights);
  tres.set("billing", !weights || weights->empty() ? row.cpus : weights->bill(tres, largest_bills));
  std::vector<std::string> lines = {
      fmt::format("PartitionName={}", spec.name),
      allowed(spec),
      fmt::format("AllocNodes={}{} Default={} QoS={}", spec.alloc_nodes,
                  spec.alternate.empty() ? "" : fmt::format(" Alternate={}", spec.alternate),
                  yes_no(spec.is_default), spec.qos.empty() ? "N/A" : spec.qos),
      fmt::format("DefaultTime={} DisableRootJobs={} ExclusiveUser={} ExclusiveTopo={} "
                  "GraceTime={} Hidden={}",
                  spec.default_time_s ? time_text(spec.default_time_s) : "NONE",
                  yes_no(spec.disable_root), yes_no(spec.exclusive_user),
                  yes_no(spec.exclusive_topo), spec.grace_time_s, yes_no(spec.hidden)),
      fmt::format("MaxNodes={} MaxTime={} MinNodes={} LLN={} MaxCPUsPerNode={} MaxCPUsPerSocket={}",
                  count_or_unlimited(spec.max_nodes), time_text(spec.max_time_s), spec.min_nodes,
                  yes_no(spec.lln), count_or_unlimited(spec.max_cpus_per_node),
                  count_or_unlimited(spec.max_cpus_per_socket)),
      fmt::format("Nodes={}", spec.nodes.empty() ? "(null)" : spec.nodes),
      fmt::format("PriorityJobFactor={} PriorityTier={} RootOnly={} ReqResv={} OverSubscribe={}",
                  spec.priority_job_factor, spec.priority_tier, yes_no(spec.root_only),
                  yes_no(spec.req_resv), to_upper(spec.oversubscribe)),
      fmt::format("OverTimeLimit={} PreemptMode={}",
                  spec.over_time_limit_min == kOverTimeOfCluster
                      ? "NONE"
                      : count_or_unlimited(spec.over_time_limit_min),
                  preempt_mode_text(spec.preempt_mode)),
      fmt::format("State={} TotalCPUs={} TotalNodes={} SelectTypeParameters=NONE",
                  name_of(spec.state), row.cpus, row.node_count),
      fmt::format("JobDefaults={}", spec.job_defaults.empty() ? "(null)" : spec.job_defaults),
      memory_line(spec),
      fmt::format("TRES={}", row.cpus ? tres.str() : "(null)"),
  };
  add_rare_lines(lines, spec);
  return record_text(lines, settings.one_line);
}

int show_partitions(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::vector<PartitionRow> rows;
  QueryPartitions question{.name = words.empty() ? "" : words[0],
                           .hide = words.empty() && !context.settings().all};
  Status asked = fetch_rows<PartitionRows>(**controller, question, rows);
  if (!asked && is(asked.error(), Errc::InvalidPartition)) asked = {};
  if (!asked)
    return context.fail_with(fmt::format("slurm_load_partitions error: {}", asked.error().text));
  if (context.settings().notation)
    return print_data(context, {"show", "partitions"}, [&](DataWriter& data) {
      data.begin_list("partitions");
      for (const PartitionRow& row : rows)
        write_partition(data, "", row, (*controller)->config().cluster_name);
      data.end();
      data.number("last_update", wall_clock().unix_seconds());
    });
  if (rows.empty() && !words.empty()) {
    print(fmt::format("Partition {} not found\n", words[0]));
    return 1;
  }
  std::string out;
  bool largest_bills = (*controller)->config().priority.max_tres;
  for (const PartitionRow& row : rows)
    out += partition_record(row, context.settings(), largest_bills);
  print(rows.empty() ? "No partitions in the system\n" : out);
  return 0;
}

}  // namespace ym::cli
