// SPDX-License-Identifier: Apache-2.0
#include "config/partitions.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "notation/billing.h"
#include "notation/job_defaults.h"
#include "notation/time_limit.h"

namespace ym {
namespace {

constexpr std::uint32_t kShareCountMax = 32767;
constexpr std::size_t kNameMax = 255;

bool valid_partition_name(std::string_view name) {
  if (name.empty() || name.size() > kNameMax) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return c == ',' || c == ' ' || c == '\t' || c == '*' || c == '"' || c == '\\' || c == '#' ||
           c == '=' || static_cast<unsigned char>(c) < 0x20;
  });
}

PartitionState state_of(std::string_view text) {
  for (auto state : {PartitionState::Down, PartitionState::Drain, PartitionState::Inactive})
    if (name_of(state) == text) return state;
  return PartitionState::Up;
}

std::uint32_t u32(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, kConfigUnlimited));
}

// "ALL" allows everybody, as saying nothing does.
std::string list_of(const Fields& fields, std::string_view key) {
  std::string text = fields.text(key);
  return same_ignoring_case(text, "ALL") ? "" : text;
}

}  // namespace

void PartitionLines::add(const ConfigLine& line, std::size_t from) {
  Fields given = check_fields(KeyScope::Partition, line, from, findings_);
  std::string name = given.text("PartitionName");
  if (same_ignoring_case(name, "DEFAULT")) return defaults_.update(given);
  if (!valid_partition_name(name))
    return findings_.diagnostics.error(
        line.place, fmt::format("PartitionName: '{}' cannot be a name", printable(name, 64)));
  if (lines_.size() >= kConfigPartitionsMax)
    return findings_.diagnostics.error(
        line.place, fmt::format("more than {} partitions", kConfigPartitionsMax));
  Fields fields = defaults_;
  fields.update(given);
  lines_.push_back({std::move(fields), line.place});
}

void PartitionLines::set_sharing(const Line& line, PartitionSpec& spec) {
  std::string text = to_upper(line.fields.text("OverSubscribe", "NO"));
  auto parts = split(text, ':');
  bool counted = parts[0] == "YES" || parts[0] == "FORCE";
  auto count = parts.size() == 2 ? parse_unsigned<std::uint32_t>(parts[1])
                                 : std::optional(kSharersByDefault);
  bool plain = (parts[0] == "NO" || parts[0] == "EXCLUSIVE") && parts.size() == 1;
  if (!plain &&
      !(counted && parts.size() <= 2 && count && *count >= 1 && *count <= kShareCountMax)) {
    findings_.diagnostics.error(
        line.place, fmt::format("OverSubscribe: '{}' is not NO, EXCLUSIVE, YES:count or "
                                "FORCE:count",
                                printable(text, 64)));
    return;
  }
  spec.oversubscribe = counted ? fmt::format("{}:{}", parts[0], *count) : std::string(parts[0]);
  std::string exclusive = line.fields.text("Exclusive", "NO");
  spec.exclusive_user = line.fields.yes("ExclusiveUser") || exclusive == "USER";
  spec.exclusive_topo = line.fields.yes("ExclusiveTopo") || exclusive == "TOPO";
  bool whole = exclusive == "NODE" || spec.exclusive_topo;
  if (whole) spec.oversubscribe = "EXCLUSIVE";
  spec.exclusive = spec.oversubscribe == "EXCLUSIVE";
}

void PartitionLines::set_memory(const Line& line, PartitionSpec& spec) {
  const Fields& fields = line.fields;
  // Of a pair the one for each CPU counts, as in Slurm. 0 and UNLIMITED both mean that nothing is
  // limited.
  auto megabytes = [&](std::string_view key) -> std::uint64_t {
    const Value* value = fields.find(key);
    return !value || value->unlimited ? 0 : value->number;
  };
  for (std::string_view kind : {"Def", "Max"}) {
    std::string per_cpu = fmt::format("{}MemPerCPU", kind),
                per_node = fmt::format("{}MemPerNode", kind);
    std::uint64_t cpu = megabytes(per_cpu), node = megabytes(per_node);
    if (cpu && node) {
      findings_.diagnostics.warn(line.place, fmt::format("{} and {} exclude each other, {} is used",
                                                         per_cpu, per_node, per_cpu));
      node = 0;
    }
    (kind == "Def" ? spec.default_memory_per_cpu_mb : spec.max_memory_per_cpu_mb) = cpu;
    (kind == "Def" ? spec.default_memory_per_node_mb : spec.max_memory_per_node_mb) = node;
  }
}

// DefCpuPerGPU and DefMemPerGPU, also as words of JobDefaults.
void PartitionLines::set_gpu_defaults(const Line& line, PartitionSpec& spec) {
  const Fields& fields = line.fields;
  spec.job_defaults = fields.text("JobDefaults");
  auto listed = JobDefaults::parse(spec.job_defaults);
  if (!listed)
    findings_.diagnostics.error(line.place, "JobDefaults: " + listed.error().text);
  else {
    spec.default_cpus_per_gpu = listed->cpus_per_gpu.value_or(0);
    spec.default_memory_per_gpu_mb = listed->memory_per_gpu_mb.value_or(0);
  }
  spec.default_cpus_per_gpu = u32(fields.number("DefCpuPerGPU", spec.default_cpus_per_gpu));
  spec.default_memory_per_gpu_mb = fields.number("DefMemPerGPU", spec.default_memory_per_gpu_mb);
}

PartitionSpec PartitionLines::spec_of(const Line& line, const NodeLines& nodes) {
  const Fields& fields = line.fields;
  PartitionSpec spec;
  spec.name = fields.text("PartitionName");
  spec.nodes = nodes.resolve("Nodes", fields.text("Nodes"), line.place).str();
  spec.state = state_of(fields.text("State", "UP"));
  spec.is_default = fields.yes("Default");
  spec.hidden = fields.yes("Hidden");
  spec.root_only = fields.yes("RootOnly");
  spec.disable_root = fields.yes("DisableRootJobs");
  spec.lln = fields.yes("LLN");
  spec.req_resv = fields.yes("ReqResv");
  spec.max_time_s = u32(fields.number("MaxTime", kConfigUnlimited));
  spec.default_time_s = u32(fields.number("DefaultTime", 0));
  spec.min_nodes = u32(fields.number("MinNodes", 0));
  spec.max_nodes = u32(fields.number("MaxNodes", kConfigUnlimited));
  spec.max_cpus_per_node = u32(fields.number("MaxCPUsPerNode", kConfigUnlimited));
  spec.max_cpus_per_socket = u32(fields.number("MaxCPUsPerSocket", kConfigUnlimited));
  std::uint64_t priority = fields.number("Priority", 1);  // the old word for both
  spec.priority_tier = u32(fields.number("PriorityTier", priority));
  spec.priority_job_factor = u32(fields.number("PriorityJobFactor", priority));
  spec.over_time_limit_min = u32(fields.number("OverTimeLimit", kOverTimeOfCluster));
  spec.grace_time_s = u32(fields.number("GraceTime", 0));
  spec.power_down_on_idle = fields.yes("PowerDownOnIdle");
  spec.suspend_time_s = u32(fields.number("SuspendTime", PartitionSpec::kOfCluster));
  spec.suspend_timeout_s = u32(fields.number("SuspendTimeout", PartitionSpec::kOfCluster));
  spec.resume_timeout_s = u32(fields.number("ResumeTimeout", PartitionSpec::kOfCluster));
  set_gpu_defaults(line, spec);
  spec.allow_groups = list_of(fields, "AllowGroups");
  spec.allow_accounts = list_of(fields, "AllowAccounts");
  spec.deny_accounts = fields.text("DenyAccounts");
  spec.allow_qos = list_of(fields, "AllowQos");
  spec.deny_qos = fields.text("DenyQos");
  spec.topology = fields.text("Topology");
  spec.qos = fields.text("QOS");
  spec.alternate = fields.text("Alternate");
  spec.alloc_nodes = fields.text("AllocNodes", "ALL");
  spec.tres_billing_weights = fields.text("TRESBillingWeights");
  if (auto weights = BillingWeights::parse(spec.tres_billing_weights); !weights)
    findings_.diagnostics.error(line.place, "TRESBillingWeights: " + weights.error().text);
  if (fields.has("PreemptMode")) spec.preempt_mode = preempt_mode_text(fields.text("PreemptMode"));
  set_sharing(line, spec);
  set_memory(line, spec);
  if (spec.min_nodes > spec.max_nodes)
    findings_.diagnostics.error(line.place, fmt::format("MinNodes={} is more than MaxNodes={}",
                                                        spec.min_nodes, spec.max_nodes));
  if (spec.default_time_s > spec.max_time_s)
    findings_.diagnostics.error(
        line.place, fmt::format("DefaultTime={} is longer than MaxTime={}",
                                print_span_long(std::chrono::seconds(spec.default_time_s)),
                                print_span_long(std::chrono::seconds(spec.max_time_s))));
  return spec;
}

namespace {

// The cluster's own, for partitions that have none.
struct MemoryLimits {
  std::uint64_t per_cpu_mb = 0, per_node_mb = 0;

  explicit MemoryLimits(const MainConfig& config) {
    for (const auto& [key, value] : config.shown) {
      if (key == "MaxMemPerCPU") per_cpu_mb = parse_u64(value).value_or(0);
      if (key == "MaxMemPerNode") per_node_mb = parse_u64(value).value_or(0);
    }
  }
  // MaxMemPerCPU, or else MaxMemPerNode.
  void apply(PartitionSpec& spec) const {
    if (spec.max_memory_per_cpu_mb || spec.max_memory_per_node_mb) return;
    spec.max_memory_per_cpu_mb = per_cpu_mb;
    if (!per_cpu_mb) spec.max_memory_per_node_mb = per_node_mb;
  }
};

}  // namespace

void PartitionLines::finish(const NodeLines& nodes, ClusterConfig& config) {
  find_duplicates();
  MemoryLimits limits(config);
  for (const Line& line : lines_) {
    if (findings_.diagnostics.full()) return;
    config.partitions.push_back(spec_of(line, nodes));
    limits.apply(config.partitions.back());
    if (!line.fields.has("PreemptMode"))
      config.partitions.back().preempt_mode = config.preempt.mode_text;
  }
  keep_one_default(config.partitions);
}

void PartitionLines::find_duplicates() {
  std::vector<std::pair<std::string, std::size_t>> names;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    names.emplace_back(lines_[i].fields.text("PartitionName"), i);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i].first == names[i - 1].first)
      findings_.diagnostics.error(
          lines_[names[i].second].place,
          fmt::format("partition {} is already defined at {}", names[i].first,
                      findings_.diagnostics.name(lines_[names[i - 1].second].place)));
}

void PartitionLines::keep_one_default(std::vector<PartitionSpec>& partitions) {
  PartitionSpec* kept = nullptr;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (!partitions[i].is_default) continue;
    if (kept) {
      kept->is_default = false;
      findings_.diagnostics.warn(lines_[i].place,
                                 fmt::format("{} has Default=YES, as {} had: the last one is used",
                                             partitions[i].name, kept->name));
    }
    kept = &partitions[i];
  }
}

}  // namespace ym
