// SPDX-License-Identifier: Apache-2.0
#include "trace/request.h"

#include <algorithm>

#include "base/format.h"
#include "notation/licenses.h"

namespace ym::trace {
namespace {

// What a node has that says nothing of its memory.
constexpr std::uint64_t kNoMemory = 1;

std::uint64_t rounded_up(std::uint64_t total, std::uint64_t parts) {
  return (total + parts - 1) / parts;
}

}  // namespace

Requests::Requests(const Workload& workload, const Machine& machine, const State& state)
    : workload_(workload), machine_(machine), state_(state) {
  has_memory_ = std::ranges::any_of(
      machine.config.nodes, [](const NodeSpec& node) { return node.memory_mb > kNoMemory; });
  submit_.spec.batch = true;
  submit_.spec.script_blob = "replay";
  submit_.spec.requeue = machine.config.requeue_by_default;
}

SubmitJob& Requests::of(const TraceJob& job) {
  JobSpec& spec = submit_.spec;
  spec.tasks = machine_.counted ? 1 : job.procs;
  spec.cpus_per_task = machine_.counted ? job.procs : 1;
  spec.min_nodes = machine_.counted ? 1 : std::max(1u, job.nodes);
  spec.time_limit_s = job.limit_s;
  const std::string& partition = workload_.partitions[job.partition];
  bool there = state_.find_partition(partition) != nullptr;
  spec.partitions = there ? partition : std::string();
  if (!there && !partition.starts_with("no ")) ++no_partition_;
  spec.qos = name_at(workload_.qos, job.qos);
  spec.account = name_at(workload_.accounts, job.account);
  const ClusterConfig& config = machine_.config;
  bool wants_qos = config.preempt.by == PreemptBy::Qos || config.priority.qos;
  if (wants_qos && !spec.qos.empty() && !config.preempt.qos.contains(spec.qos)) ++no_qos_;
  set_memory(job);
  set_extras(job);
  return submit_;
}

// As --mem where the trace tells the nodes, so that nothing is lost by dividing; otherwise as
// --mem-per-cpu.
void Requests::set_memory(const TraceJob& job) {
  JobSpec& spec = submit_.spec;
  spec.memory_per_node_mb = spec.memory_per_cpu_mb = 0;
  if (machine_.counted || !job.memory_mb) return;
  if (!has_memory_) {
    ++no_memory_;
  } else if (job.nodes) {
    spec.memory_per_node_mb = rounded_up(job.memory_mb, job.nodes);
  } else {
    spec.memory_per_cpu_mb = rounded_up(job.memory_mb, job.procs);
  }
}

void Requests::set_extras(const TraceJob& job) {
  std::uint32_t licenses = job.licenses;
  if (licenses && !knows_licenses(name_at(workload_.licenses, licenses))) {
    ++no_license_;
    licenses = 0;
  }
  if (job.gpus == gpus_ && licenses == licenses_) return;
  gpus_ = job.gpus;
  licenses_ = licenses;
  submit_.spec.extras = {};
  if (!gpus_ && !licenses_) return;
  JobExtras extras{.licenses = name_at(workload_.licenses, licenses_)};
  if (gpus_) extras.specials = Ref(JobSpecials{.tres_per_job = fmt::format("gpu:{}", gpus_)});
  submit_.spec.extras = Ref(std::move(extras));
}

bool Requests::knows_licenses(const std::string& text) const {
  auto list = LicenseList::parse(text);
  return list && std::ranges::all_of(list->terms, [&](const LicenseList::Term& term) {
           return state_.licenses->contains(term.name);
         });
}

std::vector<std::string> Requests::ignored() const {
  std::vector<std::string> out;
  auto say = [&](std::string_view what, std::size_t count, std::string_view why) {
    if (count)
      out.push_back(fmt::format("{} of {} {} ({})", what, count, count == 1 ? "job" : "jobs", why));
  };
  if (!machine_.as_configured) return out;
  say("partition", no_partition_, "not in the configuration: the default one");
  say("memory", no_memory_, "no node has any");
  say("licenses", no_license_, "not in the configuration");
  say("QOS", no_qos_, "no accounting tells of them");
  return out;
}

}  // namespace ym::trace
