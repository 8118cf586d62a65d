// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/health.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "os/files.h"

namespace ym {
namespace {

Node node_with(std::uint32_t jobs, std::uint32_t cpus_used) {
  Node node;
  node.spec = Ref(NodeSpec{.cpus = 4});
  node.jobs = jobs;
  node.cpus_used = cpus_used;
  return node;
}

TEST(HealthStates, EachStateIsToldFromTheOthers) {
  Node idle = node_with(0, 0), mixed = node_with(1, 2), full = node_with(1, 4);
  Node drained = idle;
  drained.drain = true;
  HealthStates states = parse_health_states("IDLE");
  EXPECT_TRUE(states.match(idle) && states.match(drained));
  EXPECT_FALSE(states.match(mixed) || states.match(full));
  states = parse_health_states("nondrained_idle,MIXED");
  EXPECT_TRUE(states.match(idle) && states.match(mixed));
  EXPECT_FALSE(states.match(drained) || states.match(full));
  states = parse_health_states("ALLOC");
  EXPECT_TRUE(states.match(full));
  EXPECT_FALSE(states.match(idle) || states.match(mixed));
}

TEST(HealthStates, CycleAloneMeansAnyState) {
  HealthStates states = parse_health_states("CYCLE");
  EXPECT_TRUE(states.cycle);
  EXPECT_TRUE(states.match(node_with(1, 2)));
  EXPECT_FALSE(parse_health_states("CYCLE,IDLE").match(node_with(1, 2)));
}

TEST(HealthCheck, NodesCheckAtTheSameMomentsOfTheClockUnlessTheyCycle) {
  Instant now{100'250};
  EXPECT_EQ(until_check(now, Duration(1000), 0), Duration(750));
  EXPECT_EQ(until_check(Instant{100'000}, Duration(1000), 0), Duration(1000));
  EXPECT_EQ(until_check(now, Duration(1000), 300), Duration(50));
  EXPECT_EQ(until_check(now, Duration(1000), 5200), Duration(950));
}

class RunningHealthCheck : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/health_test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void program(const std::string& text) {
    ASSERT_TRUE(write_file(folder_ + "/check", "#!/bin/sh\n" + text, 0755, Sync::No));
    config_.health_program = folder_ + "/check";
    config_.health_interval = std::chrono::hours(1);
  }
  // Until the node may register.
  void start() {
    HealthCheck health(loop_, log_,
                       {.node = "n1",
                        .configuration = "/etc/slurm.conf",
                        .boot_file = folder_ + "/boot",
                        .boot_id = "b1"},
                       [] { return false; });
    loop_.post([&] { health.start(config_, [this] { loop_.stop(); }); });
    loop_.run();
  }
  std::string said() { return read_file(folder_ + "/said").value_or(""); }

  std::string folder_;
  ClusterConfig config_;
  Loop loop_;
  Log log_{Log::Options{}};
};

TEST_F(RunningHealthCheck, RunsBeforeTheNodeRegistersAndKnowsTheNode) {
  program("echo $SLURMD_NODENAME $SLURM_CONF >> " + folder_ + "/said\nexit 3\n");
  start();
  EXPECT_EQ(said(), "n1 /etc/slurm.conf\n");
}

TEST_F(RunningHealthCheck, DoesNotRunWithoutAnInterval) {
  program("echo ran >> " + folder_ + "/said\n");
  config_.health_interval = Duration(0);
  start();
  EXPECT_EQ(said(), "");
}

TEST_F(RunningHealthCheck, OneThatHangsIsKilledWithItsChildren) {
  program("sleep 1000 & echo $! > " + folder_ + "/said\nwait\n");
  config_.health_timeout = Duration(300);
  start();
  ASSERT_NE(said(), "");
  int pid = std::stoi(said());
  auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  EXPECT_TRUE(!stat || stat->find(") S ") == std::string::npos);
}

TEST_F(RunningHealthCheck, OncePerBootIfOnlyAReboot) {
  program("echo ran >> " + folder_ + "/said\n");
  config_.health_states = "REBOOT_ONLY";
  start();
  start();
  EXPECT_EQ(said(), "ran\n");
}

TEST_F(RunningHealthCheck, AProgramThatDoesNotExistKeepsNoNodeAway) {
  config_.health_program = folder_ + "/none";
  config_.health_interval = std::chrono::hours(1);
  start();
}

}  // namespace
}  // namespace ym
