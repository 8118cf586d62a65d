// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/event_line.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/common/targets.h"
#include "notation/hostlist.h"

namespace ym::cli {

// One overload for each event: its name and its words.
struct EventLines::Words {
  EventLines& lines;
  std::string text;

  void name(std::string_view word) { text += fmt::format(" {}", word); }
  void put(std::string_view key, std::string_view value) {
    std::string safe = printable(value);
    bool plain = !safe.empty() && safe.find_first_of(" \"") == std::string::npos;
    text += plain ? fmt::format(" {}={}", key, safe) : fmt::format(" {}=\"{}\"", key, safe);
  }
  void put(std::string_view key, std::uint64_t value) { text += fmt::format(" {}={}", key, value); }
  void maybe(std::string_view key, std::string_view value) {
    if (!value.empty()) put(key, value);
  }
  void node(NodeId id) {
    put("node",
        lines.nodes_.contains(id.value) ? lines.nodes_[id.value] : fmt::format("#{}", id.value));
  }
  void partition(PartitionId id) {
    auto at = lines.partitions_.find(id.value);
    put("partition", at == lines.partitions_.end() ? fmt::format("#{}", id.value) : at->second);
  }
  void job(JobId id) { put("job", id.value); }
  void exit(ExitStatus status) { put("exit", fmt::format("{}:{}", status.code, status.signal)); }
  void nodes(const Allocation& allocation) {
    std::vector<std::string> names;
    for (const NodeShare& share : allocation.nodes)
      names.push_back(lines.nodes_.contains(share.node.value)
                          ? lines.nodes_[share.node.value]
                          : fmt::format("#{}", share.node.value));
    put("nodes", Hostlist::of(names).str());
    put("cpus", allocation.cpus());
  }

  void operator()(const UnknownEvent&) { name("UnknownEvent"); }
  void operator()(const ClusterFounded& e) {
    name("ClusterFounded");
    put("name", e.name);
  }
  void operator()(const NodesDefined& e) {
    name("NodesDefined");
    std::vector<std::string> names;
    for (const NodeDefinition& one : e.nodes) {
      lines.know_node(one.node, one.spec->name);
      names.push_back(one.spec->name);
    }
    put("nodes", Hostlist::of(names).str());
  }
  void operator()(const NodeRemoved& e) {
    name("NodeRemoved");
    node(e.node);
  }
  void operator()(const PartitionDefined& e) {
    name("PartitionDefined");
    lines.know_partition(e.partition, e.spec->name);
    partition(e.partition);
  }
  void operator()(const PartitionRemoved& e) {
    name("PartitionRemoved");
    partition(e.partition);
  }
  void operator()(const NodeRegistered& e) {
    name("NodeRegistered");
    node(e.node);
  }
  void operator()(const NodeResponded& e) {
    name("NodeResponded");
    node(e.node);
  }
  void operator()(const NodeStoppedResponding& e) {
    name("NodeStoppedResponding");
    node(e.node);
  }
  void operator()(const NodeStateChanged& e) {
    name("NodeStateChanged");
    node(e.node);
    constexpr const char* kConditions[] = {"unknown", "up", "down", "future"};
    auto condition = static_cast<std::size_t>(e.condition);
    put("condition", condition < std::size(kConditions) ? kConditions[condition] : "?");
    if (e.drain) put("drain", 1);
    if (e.fail) put("fail", 1);
    maybe("reason", e.reason);
  }
  void operator()(const NodeRebootChanged& e) {
    name("NodeRebootChanged");
    node(e.node);
    constexpr const char* kPhases[] = {"none", "requested", "issued"};
    auto phase = static_cast<std::size_t>(e.reboot.phase);
    put("reboot", phase < std::size(kPhases) ? kPhases[phase] : "?");
  }
  void operator()(const NodePowerChanged& e) {
    name("NodePowerChanged");
    node(e.node);
    constexpr const char* kPhases[] = {"on",  "down_wanted", "powering_down",
                                       "off", "up_wanted",   "powering_up"};
    auto phase = static_cast<std::size_t>(e.power.phase);
    put("power", phase < std::size(kPhases) ? kPhases[phase] : "?");
  }
  void operator()(const JobShrunk& e) {
    name("JobShrunk");
    job(e.job);
    put("nodes", e.allocation->nodes.size());
  }
  void operator()(const JobMemoryWanted& e) {
    name("JobMemoryWanted");
    job(e.job);
    put("memory_mb", e.memory_mb);
  }
  void operator()(const JobMemoryLowered& e) {
    name("JobMemoryLowered");
    job(e.job);
    nodes(*e.allocation);
  }
  void operator()(const JobEpilogEnded& e) {
    name("JobEpilogEnded");
    job(e.job);
  }
  void operator()(const JobSubmitted& e) {
    name("JobSubmitted");
    job(e.job);
    put("user", e.spec->user_name);
    put("name", e.spec->name);
    if (e.array) put("array", e.array->waiting.str());
    if (e.het_job) put("component", fmt::format("{}+{}", e.het_job.value, e.het_offset));
  }
  void operator()(const ArrayTaskSplit& e) {
    name("ArrayTaskSplit");
    job(e.job);
    put("array", e.array_job.value);
    put("task", e.task);
  }
  void operator()(const JobUpdated& e) {
    name("JobUpdated");
    job(e.job);
    put("priority", e.priority);
  }
  void operator()(const ArrayTasksCancelled& e) {
    name("ArrayTasksCancelled");
    job(e.array_job);
    put("tasks", e.tasks.str());
  }
  void operator()(const JobStarted& e) {
    name("JobStarted");
    job(e.job);
    partition(e.partition);
    nodes(*e.allocation);
  }
  void operator()(const JobLaunched& e) {
    name("JobLaunched");
    job(e.job);
  }
  void operator()(const AllocationChanged& e) {
    name("AllocationChanged");
    job(e.job);
    nodes(*e.allocation);
  }
  void operator()(const JobFinished& e) {
    name("JobFinished");
    job(e.job);
    put("state", name_of(e.state));
    exit(e.exit);
    if (e.reason != Reason::None) put("reason", name_of(e.reason));
    if (e.requeue) put("requeue", 1);
  }
  void operator()(const JobNodeReleased& e) {
    name("JobNodeReleased");
    job(e.job);
    node(e.node);
  }
  void operator()(const JobRequeued& e) {
    name("JobRequeued");
    job(e.job);
  }
  void operator()(const JobSuspended& e) {
    name("JobSuspended");
    job(e.job);
  }
  void operator()(const JobResumed& e) {
    name("JobResumed");
    job(e.job);
  }
  void operator()(const JobPreempted& e) {
    name("JobPreempted");
    job(e.job);
    put("by", e.by.value);
    put("mode", name_of(e.mode));
  }
  void operator()(const RequestAnswered& e) {
    name("RequestAnswered");
    put("by", e.by.value);
  }
  void operator()(const JobForgotten& e) {
    name("JobForgotten");
    job(e.job);
  }
  void operator()(const StepStarted& e) {
    name("StepStarted");
    job(e.job);
    put("step", step_name(e.step.id));
    put("name", e.step.name);
    put("tasks", e.step.tasks);
  }
  void operator()(const StepUpdated& e) {
    name("StepUpdated");
    job(e.job);
    put("step", step_name(e.step));
  }
  void operator()(const StepNodeEnded& e) {
    name("StepNodeEnded");
    job(e.job);
    put("step", step_name(e.step));
    node(e.node);
    exit(e.exit);
  }
  void operator()(const NodeNoted& e) {
    name("NodeNoted");
    node(e.node);
    maybe("comment", e.comment);
    maybe("extra", e.extra);
  }
  void operator()(const ReservationDefined& e) {
    name("ReservationDefined");
    put("name", e.reservation.name);
    put("nodes", e.reservation.nodes.size());
    maybe("flags", flags_text(e.reservation));
  }
  void operator()(const ReservationRemoved& e) {
    name("ReservationRemoved");
    put("reservation", e.reservation.value);
  }
  void operator()(const LicensesDefined& e) {
    name("LicensesDefined");
    for (const License& one : e.licenses) put(one.name, one.total);
  }
  void operator()(const TriggerSet& e) {
    name("TriggerSet");
    put("trigger", e.trigger.id.value);
    put("program", e.trigger.program);
  }
  void operator()(const TriggerCleared& e) {
    name("TriggerCleared");
    put("trigger", e.trigger.value);
  }
  void operator()(const CrontabSet& e) {
    name("CrontabSet");
    put("user", e.crontab.user_name);
    put("jobs", e.crontab.jobs.size());
  }
  void operator()(const JobConfigured& e) {
    name("JobConfigured");
    job(e.job);
  }
  void operator()(const StepEnded& e) {
    name("StepEnded");
    job(e.job);
    put("step", step_name(e.step));
    exit(e.exit);
  }
};

std::string EventLines::line(const Event& event) {
  Words words{.lines = *this,
              .text = fmt::format("{} {}", event.seq.value, print_timestamp(event.at, *zone_))};
  std::visit(words, event.body);
  return std::move(words.text);
}

}  // namespace ym::cli
