// SPDX-License-Identifier: Apache-2.0
// sacct's TRESUsage… fields: what a step used, by the names of trackable resources. Of what is not
// measured nothing is said.
#include "base/format.h"
#include "base/text.h"
#include "cli/sacct/sacct.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using Row = const SacctRow&;

// Null where there is nothing to tell: of jobs, and of steps that were not measured.
const StepUsage* measured(Row row) {
  return row.step && row.step->step.usage.tasks ? &row.step->step.usage : nullptr;
}

std::string of_cpu(std::uint64_t ms) {
  return "cpu=" + print_span_long(Duration(static_cast<Duration::rep>(ms)));
}

std::string texts(std::initializer_list<std::string> parts) {
  return join(std::vector<std::string>(parts), ",");
}

std::string in_sum(const StepUsage& usage, std::uint64_t parts) {
  const Usage& all = usage.total;
  return texts({of_cpu((all.user_ms + all.system_ms) / parts),
                fmt::format("fs/disk={}", all.read_bytes / parts),
                fmt::format("mem={}K", all.max_rss_kb / parts),
                fmt::format("pages={}", all.major_faults / parts),
                fmt::format("vmem={}K", all.max_vm_kb / parts)});
}
std::string in_total(Row row) {
  const StepUsage* usage = measured(row);
  return usage ? in_sum(*usage, 1) : "";
}
std::string in_average(Row row) {
  const StepUsage* usage = measured(row);
  return usage ? in_sum(*usage, usage->tasks) : "";
}

template <class Tell>
std::string in_most(Row row, const Tell& tell) {
  const StepUsage* usage = measured(row);
  if (!usage) return {};
  return texts({"fs/disk=" + tell(usage->max_read), "mem=" + tell(usage->max_rss_kb),
                "pages=" + tell(usage->max_faults), "vmem=" + tell(usage->max_vm_kb)});
}
std::string in_max(Row row) {
  const StepUsage* usage = measured(row);
  if (!usage) return {};
  return texts({fmt::format("fs/disk={}", usage->max_read.value),
                fmt::format("mem={}K", usage->max_rss_kb.value),
                fmt::format("pages={}", usage->max_faults.value),
                fmt::format("vmem={}K", usage->max_vm_kb.value)});
}
std::string in_max_node(Row row) {
  return in_most(row, [](const auto& one) { return one.node; });
}
std::string in_max_task(Row row) {
  return in_most(row, [](const auto& one) { return fmt::format("{}", one.task); });
}

// What `told` says of a step that was measured; blank for others.
template <class Told>
std::string if_measured(Row row, Told&& told) {
  const StepUsage* usage = measured(row);
  return usage ? told(*usage) : "";
}

std::string in_min(Row row) {
  return if_measured(row, [](const auto& one) { return of_cpu(one.min_cpu_ms.value); });
}
std::string in_min_node(Row row) {
  return if_measured(row, [](const auto& one) { return "cpu=" + one.min_cpu_ms.node; });
}
std::string in_min_task(Row row) {
  return if_measured(row,
                     [](const auto& one) { return fmt::format("cpu={}", one.min_cpu_ms.task); });
}

template <class Value>
std::string of_disk(Row row, Value&& value) {
  return if_measured(row, [&](const auto& one) { return fmt::format("fs/disk={}", value(one)); });
}
std::string out_total(Row row) {
  return of_disk(row, [](const auto& one) { return one.total.write_bytes; });
}
std::string out_average(Row row) {
  return of_disk(row, [](const auto& one) { return one.total.write_bytes / one.tasks; });
}
std::string out_max(Row row) {
  return of_disk(row, [](const auto& one) { return one.max_write.value; });
}
std::string out_max_node(Row row) {
  return of_disk(row, [](const auto& one) { return one.max_write.node; });
}
std::string out_max_task(Row row) {
  return of_disk(row, [](const auto& one) { return one.max_write.task; });
}
std::string not_measured(Row) { return {}; }

}  // namespace

std::vector<SacctField> tres_usage_fields() {
  return {
      {"TRESUsageInAve", 15, in_average},
      {"TRESUsageInMax", 15, in_max},
      {"TRESUsageInMaxNode", 18, in_max_node},
      {"TRESUsageInMaxTask", 18, in_max_task},
      {"TRESUsageInMin", 15, in_min},
      {"TRESUsageInMinNode", 18, in_min_node},
      {"TRESUsageInMinTask", 18, in_min_task},
      {"TRESUsageInTot", 15, in_total},
      {"TRESUsageOutAve", 15, out_average},
      {"TRESUsageOutMax", 15, out_max},
      {"TRESUsageOutMaxNode", 19, out_max_node},
      {"TRESUsageOutMaxTask", 19, out_max_task},
      {"TRESUsageOutMin", 15, not_measured},
      {"TRESUsageOutMinNode", 19, not_measured},
      {"TRESUsageOutMinTask", 19, not_measured},
      {"TRESUsageOutTot", 15, out_total},
  };
}

}  // namespace ym::cli
