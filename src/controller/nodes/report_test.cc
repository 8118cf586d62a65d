// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>

#include "controller/controller.h"

namespace ym {
namespace {

ClusterConfig one_node(std::uint32_t return_to_service = 0) {
  ClusterConfig config;
  config.cluster_name = "c";
  config.return_to_service = return_to_service;
  config.nodes.push_back({.name = "n1",
                          .cpus = 8,
                          .sockets = 2,
                          .cores_per_socket = 2,
                          .threads_per_core = 2,
                          .memory_mb = 1000,
                          .tmp_mb = 500});
  config.partitions = {{.name = "main", .nodes = "n1", .is_default = true}};
  return config;
}

class ReportTest : public testing::Test {
 protected:
  void begin(const ClusterConfig& config) {
    controller.emplace(config, State{});
    EXPECT_TRUE(controller->configure(config, now, out));
    controller->begin_watch(now, out);
  }
  const Node& hear(const NodeRegistration& registration) {
    NodeReport report{.node = "n1", .complete = true, .registration = registration};
    EXPECT_TRUE(controller->report(report, now, out));
    return *controller->state().find_node("n1");
  }
  static NodeRegistration whole() {
    return {.cpus = 8,
            .sockets = 2,
            .cores_per_socket = 2,
            .threads_per_core = 2,
            .memory_mb = 1000,
            .tmp_mb = 500,
            .boot_time = {1},
            .boot_id = "a"};
  }

  Instant now{1'000'000};
  Outbox out;
  std::optional<Controller> controller;
};

TEST_F(ReportTest, AMachineThatIsWhatSlurmConfSaysIsUsed) {
  begin(one_node());
  EXPECT_TRUE(hear(whole()).usable());
}

TEST_F(ReportTest, ALesserMachineIsDrainedAndEveryShortcomingNamed) {
  begin(one_node());
  const Node& node = hear({.cpus = 4,
                           .sockets = 1,
                           .cores_per_socket = 2,
                           .threads_per_core = 2,
                           .memory_mb = 900,
                           .tmp_mb = 499});
  EXPECT_TRUE(node.drain);
  EXPECT_EQ(node.reason,
            "Low socket*core*thread count, Low CPUs, "
            "Low RealMemory (reported:900 < 100.00% of configured:1000), Low TmpDisk");
}

TEST_F(ReportTest, ASmallTemporaryDiskIsEnoughToDrain) {
  begin(one_node());
  NodeRegistration registration = whole();
  registration.tmp_mb = 100;
  EXPECT_EQ(hear(registration).reason, "Low TmpDisk");
}

TEST_F(ReportTest, ConfigOverridesBelievesSlurmConf) {
  ClusterConfig config = one_node();
  config.config_overrides = true;
  begin(config);
  EXPECT_TRUE(hear({.cpus = 1, .memory_mb = 1}).usable());
}

TEST_F(ReportTest, AnotherBootIsAnUnexpectedRebootUnlessReturnToServiceIs2) {
  for (std::uint32_t rule : {0u, 1u, 2u}) {
    begin(one_node(rule));
    hear(whole());
    NodeRegistration rebooted = whole();
    rebooted.boot_id = "b";
    const Node& node = hear(rebooted);
    EXPECT_EQ(node.usable(), rule == 2) << rule;
    EXPECT_EQ(node.reason, rule == 2 ? "" : "Node unexpectedly rebooted") << rule;
    EXPECT_EQ(hear(rebooted).usable(), rule == 2) << "by a second registration, rule " << rule;
  }
}

TEST_F(ReportTest, AClockThatWasSetIsNoReboot) {
  begin(one_node());
  hear(whole());
  NodeRegistration later = whole();
  later.boot_time = {500'000};
  EXPECT_TRUE(hear(later).usable());
}

}  // namespace
}  // namespace ym
