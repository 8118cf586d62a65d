// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/debug_lines.h"

#include <type_traits>
#include <variant>

#include "base/text.h"
#include "config/debug_flags.h"
#include "wire/codec.h"

namespace ym {
namespace {

template <class T, class... Others>
constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

// The flags that an event is of interest to.
std::uint64_t topics_of(const Event& event) {
  return std::visit(
      []<class T>(const T& body) -> std::uint64_t {
        if constexpr (std::is_same_v<T, JobStarted>) {
          bool gres = !body.allocation->gres->empty();
          return bit(DebugFlag::TraceJobs) | bit(DebugFlag::SelectType) |
                 (gres ? bit(DebugFlag::Gres) : 0);
        } else if constexpr (is_one_of<T, JobSubmitted, ArrayTaskSplit, JobUpdated,
                                       ArrayTasksCancelled, JobLaunched, AllocationChanged,
                                       JobFinished, JobNodeReleased, JobRequeued, JobSuspended,
                                       JobResumed, JobForgotten, JobConfigured, JobEpilogEnded,
                                       JobShrunk, JobPreempted, JobMemoryWanted,
                                       JobMemoryLowered>) {
          return bit(DebugFlag::TraceJobs);
        } else if constexpr (is_one_of<T, StepStarted, StepNodeEnded, StepEnded, StepUpdated>) {
          return bit(DebugFlag::Steps);
        } else if constexpr (is_one_of<T, ReservationDefined, ReservationRemoved>) {
          return bit(DebugFlag::Reservation);
        } else if constexpr (is_one_of<T, TriggerSet, TriggerCleared>) {
          return bit(DebugFlag::Triggers);
        } else if constexpr (is_one_of<T, NodePowerChanged, NodeRebootChanged>) {
          return bit(DebugFlag::Power);
        } else if constexpr (std::is_same_v<T, LicensesDefined>) {
          return bit(DebugFlag::License);
        } else if constexpr (std::is_same_v<T, NodeNoted>) {
          return bit(DebugFlag::NodeFeatures);
        } else {
          return 0;
        }
      },
      event.body);
}

// As Slurm begins such lines: STEPS: …
std::string name_of(std::uint64_t topics) {
  for (const DebugFlagName& one : debug_flag_names())
    if (one.bits & topics) return to_upper(one.name);
  return "";
}

std::string_view name_of(const NodeMessage& message) {
  return std::visit(
      []<class T>(const T&) -> std::string_view {
        if constexpr (std::is_same_v<T, LaunchJob>) return "launch";
        if constexpr (std::is_same_v<T, KillJob>) return "kill";
        if constexpr (std::is_same_v<T, SignalJob>) return "signal";
        if constexpr (std::is_same_v<T, SuspendJob>) return "suspend or resume";
        if constexpr (std::is_same_v<T, LimitMemory>) return "limit memory";
        if constexpr (std::is_same_v<T, ForgetAttempts>) return "forget";
        if constexpr (std::is_same_v<T, RebootNode>) return "reboot";
        return "other";
      },
      message);
}

}  // namespace

void take_debug_flags(Log& log, const ClusterConfig& config) {
  for (const auto& [key, value] : config.shown) {
    if (key != "DebugFlags") continue;
    log.set_topics(debug_flag_bits(value));
    for (std::string_view name : split_words(value, ','))
      if (const DebugFlagName* known = find_debug_flag(name); known && known->bits == 0)
        log.info("DebugFlags={}: nothing is logged for it", known->name);
    return;
  }
  log.set_topics(0);
}

void log_request(Log& log, const FrameHeader& header, std::size_t size, const Peer& peer) {
  constexpr DebugFlag kFlag = DebugFlag::AuditRPCs;
  if (log.shows_topic(bit(kFlag)))
    log.write_topic("AUDIT_RPCS", fmt::format("message {} from uid={} at {}", header.type, peer.uid,
                                              peer.address));
  if (log.shows_topic(bit(DebugFlag::Protocol)))
    log.write_topic("PROTOCOL", fmt::format("message {} correlation {} of {} bytes from {}",
                                            header.type, header.correlation, size, peer.address));
  if (log.shows(LogLevel::Debug2))
    log.write(LogLevel::Debug2,
              fmt::format("Processing RPC: message {} from UID={}", header.type, peer.uid));
}

void log_batch(Log& log, const Batch& batch) {
  if (!log.shows_topic(~std::uint64_t{0})) return;
  for (const Event& event : batch.events) {
    std::uint64_t topics = topics_of(event);
    if (!log.shows_topic(topics)) continue;
    for (const DebugFlagName& one : debug_flag_names())
      if ((one.bits & topics) && log.shows_topic(one.bits)) {
        log.write_topic(name_of(one.bits), wire::to_json(event));
        break;
      }
  }
  if (!log.shows_topic(bit(DebugFlag::Agent))) return;
  for (const Order& order : batch.orders) {
    const Node* node = batch.state.find(order.node);
    log.write_topic("AGENT", fmt::format("order {} for node {}", name_of(order.message),
                                         node ? node->spec->name : "?"));
  }
}

void log_plan(Log& log, const Plan& plan) {
  if (!log.shows_topic(bit(DebugFlag::Backfill))) return;
  log.write_topic("BACKFILL",
                  fmt::format("{} pass as of event {}: {} starts, {} promises, {} preemptions, {} "
                              "nodes looked at{}",
                              plan.quick ? "quick" : "full", plan.based_on.value,
                              plan.starts.size(), plan.booked.size(), plan.preemptions.size(),
                              plan.work, plan.cut_short ? ", cut short" : ""));
}

}  // namespace ym
