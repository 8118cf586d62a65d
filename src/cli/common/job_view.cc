// SPDX-License-Identifier: Apache-2.0
#include "cli/common/job_view.h"

#include <algorithm>

#include "base/format.h"
#include "model/gres_request.h"
#include "model/node_gres.h"
#include "notation/billing.h"
#include "notation/hostlist.h"
#include "notation/job_id.h"
#include "notation/pattern.h"
#include "notation/tres.h"

namespace ym::cli {
namespace {

std::uint64_t requested_memory_mb(const JobView& view) {
  const JobSpec& spec = view.spec();
  if (spec.memory_per_cpu_mb) return spec.memory_per_cpu_mb * cpu_count_of(view);
  return spec.memory_per_node_mb * node_count_of(view);
}

// What was asked for on all nodes together.
std::string requested_gres(const JobSpec& spec) {
  const GresRequest& request = *spec.extras->specials->gres;
  GresShares shares;
  std::uint64_t nodes = std::max(1u, spec.min_nodes);
  for (const GresWish& wish : request.wishes) {
    std::uint64_t factor = wish.per == GresPer::Job    ? 1
                           : wish.per == GresPer::Task ? spec.tasks
                           : wish.per == GresPer::Node
                               ? nodes
                               : nodes * std::max(1u, spec.extras->sockets_per_node);
    shares.push_back({.name = wish.name, .type = wish.type, .count = wish.count * factor});
  }
  return gres_tres_text(shares);
}

// The CPUs, unless the partition says what they, and other resources, are worth.
std::uint64_t billing(const JobRow& row, const Tres& tres, const std::string& gres) {
  std::uint64_t cpus = tres.get("cpu");
  if (row.billing_weights.empty()) return cpus;
  auto weights = BillingWeights::parse(row.billing_weights);
  auto all = Tres::parse(tres.str() + gres);
  return weights && all ? weights->bill(*all, row.largest_bills) : cpus;
}

// `gres` with a comma before it.
std::string tres_text(const JobRow& row, std::uint64_t cpus, std::uint64_t memory_mb,
                      std::uint64_t nodes, const std::string& gres) {
  Tres tres;
  tres.set("cpu", cpus);
  if (memory_mb) tres.set("mem", memory_mb);
  tres.set("node", nodes);
  tres.set("billing", billing(row, tres, gres));
  return tres.str() + gres;
}

}  // namespace

std::string shown_id(const JobView& view) {
  if (view.task) return fmt::format("{}_{}", view.job().array_job.value, *view.task);
  if (view.job().het_job)
    return fmt::format("{}+{}", view.job().het_job.value, view.job().het_offset);
  return display_id(view.job());
}

std::string shown_user(const JobView& view) {
  const std::string& name = view.spec().user_name;
  return name.empty() ? fmt::format("{}", view.spec().uid.value) : name;
}

Duration time_used(const JobView& view) {
  const Job& job = view.job();
  if (!job.start || job.state == JobState::Pending) return Duration(0);
  // Time does not count while the job is suspended.
  Instant until = job.end ? job.end : job.suspended_at ? job.suspended_at : view.now;
  Duration used = until - job.start - job.suspended_for;
  return std::max(Duration(0), used);
}

std::optional<std::uint32_t> time_limit_of(const JobView& view) {
  const Job& job = view.job();
  if (view.spec().time_limit_s) return view.spec().time_limit_s;
  if (!job.start || !job.limit_end) return std::nullopt;
  if (job.limit_end >= kNever) return JobSpec::kUnlimited;
  return static_cast<std::uint32_t>((job.limit_end - job.start).count() / 1000);
}

std::uint32_t node_count_of(const JobView& view) {
  const Job& job = view.job();
  if (view.row->node_count) return view.row->node_count;
  if (!job.allocation->nodes.empty())
    return static_cast<std::uint32_t>(job.allocation->nodes.size());
  if (!view.row->nodes.empty())
    if (auto hosts = Hostlist::parse(view.row->nodes))
      return static_cast<std::uint32_t>(hosts->count());
  const JobSpec& spec = view.spec();
  std::uint32_t wanted =
      spec.tasks_per_node ? (spec.tasks + spec.tasks_per_node - 1) / spec.tasks_per_node : 1;
  return std::max({1u, spec.min_nodes, wanted});
}

std::uint32_t cpu_count_of(const JobView& view) {
  if (view.row->cpu_count) return view.row->cpu_count;
  if (std::uint32_t held = view.job().allocation->cpus()) return held;
  const JobSpec& spec = view.spec();
  return std::max(spec.tasks * std::max(1u, spec.cpus_per_task), spec.min_nodes);
}

std::string reason_of(const JobView& view) {
  if (view.row->reason == Reason::ReqNodeNotAvail && !view.row->reason_text.empty())
    return fmt::format("ReqNodeNotAvail, {}", view.row->reason_text);
  return std::string(name_of(view.row->reason));
}

std::string nodes_or_reason(const JobView& view) {
  const Job& job = view.job();
  bool tells_reason = job.state == JobState::Pending || job.state == JobState::Timeout ||
                      job.state == JobState::Failed || job.state == JobState::OutOfMemory ||
                      job.state == JobState::Deadline;
  if (tells_reason && !job.completing()) return fmt::format("({})", reason_of(view));
  return view.row->nodes;
}

std::uint32_t least_cpus_per_node(const JobSpec& spec) {
  std::uint32_t of_tasks = std::max(1u, spec.cpus_per_task) * std::max(1u, spec.tasks_per_node);
  return std::max(spec.min_cpus_per_node, of_tasks);
}

Instant start_of(const JobView& view) {
  const Job& job = view.job();
  if (job.state != JobState::Pending) return job.start ? job.start : job.end;
  return view.row->expected_start ? view.row->expected_start : view.spec().begin;
}

Instant end_of(const JobView& view) {
  const Job& job = view.job();
  if (job.end) return job.end;
  if (job.state == JobState::Pending) {
    Instant start = start_of(view);
    auto limit = time_limit_of(view);
    if (!start || !limit || *limit == JobSpec::kUnlimited) return {};
    return start + std::chrono::seconds(*limit);
  }
  return job.limit_end >= kNever ? Instant{} : job.limit_end;
}

std::string requested_tres(const JobView& view) {
  const JobSpec& spec = view.spec();
  std::uint32_t cpus = std::max(spec.tasks * std::max(1u, spec.cpus_per_task), spec.min_nodes);
  return tres_text(*view.row, cpus, requested_memory_mb(view), std::max(1u, spec.min_nodes),
                   requested_gres(spec));
}

std::string allocated_tres(const JobView& view) {
  const Allocation& allocation = *view.job().allocation;
  if (allocation.nodes.empty()) return {};
  std::uint64_t memory_mb = 0;
  for (const NodeShare& share : allocation.nodes) memory_mb += share.memory_mb;
  return tres_text(*view.row, allocation.cpus(), memory_mb, allocation.nodes.size(),
                   gres_tres_text(*allocation.gres));
}

std::string tres_per_node(const JobView& view) {
  GresOptions wish = gres_options(view.extras());
  return shown_gres(wish.per_node);
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

std::string shown_file(const JobView& view, const std::string& pattern) {
  const Job& job = view.job();
  PatternValues values{.job = job.id.value,
                       .array_job = job.array_job.value,
                       .node = view.row->batch_host,
                       .user = view.spec().user_name,
                       .job_name = view.spec().name,
                       .sluid = encode_sluid(job.sluid.value),
                       .restarts = job.restarts};
  if (job.array_task != kNoTask) values.task = job.array_task;
  if (view.task) values.task = *view.task;
  std::string name = job.array && !view.task ? pattern : expand(pattern, values);
  if (name.empty() || name[0] == '/') return name;
  return view.spec().work_dir + "/" + name;
}

}  // namespace ym::cli
