// SPDX-License-Identifier: Apache-2.0
#include "cli/common/tres_usage.h"

#include "base/format.h"
#include "notation/time_limit.h"

namespace ym::cli::tres_usage {
namespace {

std::string of_cpu(std::uint64_t ms) {
  return "cpu=" + print_span_long(Duration(static_cast<Duration::rep>(ms)));
}

std::string in_sum(const Usage& all, std::uint64_t parts) {
  return fmt::format("{},fs/disk={},mem={}K,pages={},vmem={}K",
                     of_cpu((all.user_ms + all.system_ms) / parts), all.read_bytes / parts,
                     all.max_rss_kb / parts, all.major_faults / parts, all.max_vm_kb / parts);
}

template <class Tell>
std::string in_most(const StepUsage& usage, const Tell& tell) {
  return fmt::format("fs/disk={},mem={},pages={},vmem={}", tell(usage.max_read),
                     tell(usage.max_rss_kb), tell(usage.max_faults), tell(usage.max_vm_kb));
}

}  // namespace

std::string in_average(const StepUsage& usage) { return in_sum(usage.total, usage.tasks); }
std::string in_total(const StepUsage& usage) { return in_sum(usage.total, 1); }

std::string in_max(const StepUsage& usage) {
  return fmt::format("fs/disk={},mem={}K,pages={},vmem={}K", usage.max_read.value,
                     usage.max_rss_kb.value, usage.max_faults.value, usage.max_vm_kb.value);
}
std::string in_max_node(const StepUsage& usage) {
  return in_most(usage, [](const Extreme& one) { return one.node; });
}
std::string in_max_task(const StepUsage& usage) {
  return in_most(usage, [](const Extreme& one) { return one.task; });
}

std::string in_min(const StepUsage& usage) { return of_cpu(usage.min_cpu_ms.value); }
std::string in_min_node(const StepUsage& usage) { return "cpu=" + usage.min_cpu_ms.node; }
std::string in_min_task(const StepUsage& usage) {
  return fmt::format("cpu={}", usage.min_cpu_ms.task);
}

std::string out_average(const StepUsage& usage) {
  return fmt::format("fs/disk={}", usage.total.write_bytes / usage.tasks);
}
std::string out_total(const StepUsage& usage) {
  return fmt::format("fs/disk={}", usage.total.write_bytes);
}
std::string out_max(const StepUsage& usage) {
  return fmt::format("fs/disk={}", usage.max_write.value);
}
std::string out_max_node(const StepUsage& usage) { return "fs/disk=" + usage.max_write.node; }
std::string out_max_task(const StepUsage& usage) {
  return fmt::format("fs/disk={}", usage.max_write.task);
}

std::string not_measured(const StepUsage&) { return {}; }

}  // namespace ym::cli::tres_usage
