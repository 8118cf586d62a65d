// SPDX-License-Identifier: Apache-2.0
// For tests: a controller and a planner that follows it, over nodes that have registered.
#pragma once
#include <string>
#include <utility>

#include "base/format.h"
#include "controller/controller.h"
#include "schedule/planner.h"

namespace ym {

inline Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }
inline Caller root() {
  return {.uid = {0}, .gid = {0}, .user_name = "root", .administrator = true};
}

class Yard {
 public:
  // A cluster of nodes n1 … alike, all in the partition "main".
  static ClusterConfig cluster(int nodes, const NodeSpec& alike) {
    ClusterConfig config;
    config.cluster_name = "c";
    for (int i = 1; i <= nodes; ++i) {
      NodeSpec node = alike;
      node.name = fmt::format("n{}", i);
      config.nodes.push_back(node);
    }
    config.partitions = {
        {.name = "main", .nodes = fmt::format("n[1-{}]", nodes), .is_default = true}};
    return config;
  }

  explicit Yard(const ClusterConfig& config) : controller(config, {}), planner({}) {
    YM_CHECK(controller.configure(config, now, out).has_value());
    controller.begin_watch(now, out);
    for (const NodeSpec& node : config.nodes) connect(node);
    settle();
  }

  // The node registers, having just booted.
  void connect(const NodeSpec& node) {
    NodeReport report{.node = node.name, .complete = true};
    report.registration = {
        .cpus = node.cpus, .memory_mb = node.memory_mb, .boot_time = now, .slurmd_start = now};
    YM_CHECK(controller.report(report, now, out).has_value());
  }
  // The planner hears of what happened.
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
    return taken;
  }
  // One job, and whatever starts.
  void submit_and_start(const SubmitJob& submit) {
    controller.submit({1}, submit, ada(), now, out);
    settle();
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
  }
  const Job& job(std::uint32_t id) const { return *controller.state().find(JobId{id}); }
  const Node& node(std::string_view name) const { return *controller.state().find_node(name); }

  Instant now{1'000'000'000};
  Controller controller;
  Planner planner;
  Outbox out;
};

}  // namespace ym
