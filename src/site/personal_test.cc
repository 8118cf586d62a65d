// SPDX-License-Identifier: Apache-2.0
#include "site/personal.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "config/parse.h"
#include "os/files.h"
#include "site/configuration.h"

namespace ym {
namespace {

PersonalPlan plan_of(std::vector<std::uint16_t> ports) {
  return {.cluster = "emil-yard",
          .user = "emil",
          .folder = "/srv/my cluster",
          .run_folder = "/srv/my cluster/run",
          .controller_port = 7000,
          .node_ports = std::move(ports),
          .cpus = 4,
          .memory_mb = 2000};
}

Result<ParsedConfig> parsed(const std::string& text) {
  return parse_config("slurm.conf",
                      [&](const std::string&) -> Result<std::string> { return text; });
}

// Sets a variable, or removes it, until the end of the test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    if (value)
      ::setenv(name, value, 1);
    else
      ::unsetenv(name);
  }
  ~Variable() {
    if (old_.empty())
      ::unsetenv(name_);
    else
      ::setenv(name_, old_.c_str(), 1);
  }

 private:
  const char* name_;
  std::string old_;
};

TEST(Personal, TheFolderFollowsTheVariables) {
  Variable home("HOME", "/h/emil");
  {
    Variable state("XDG_STATE_HOME", "/var/emil");
    EXPECT_EQ(personal_folder(), "/var/emil/yardmaster");
  }
  Variable state("XDG_STATE_HOME", nullptr);
  EXPECT_EQ(personal_folder(), "/h/emil/.local/state/yardmaster");
  Variable nowhere("HOME", nullptr);
  EXPECT_EQ(personal_folder(), "");
}

TEST(Personal, AClusterIsNamedAfterItsUser) {
  EXPECT_EQ(personal_cluster_name("emil"), "emil-yard");
  EXPECT_EQ(personal_cluster_name("DOM\\Emil Smith"), "dom-emil-smith-yard");
  EXPECT_EQ(personal_cluster_name("___"), "yard");
  EXPECT_LE(personal_cluster_name(std::string(300, 'x')).size(), 40u);
}

TEST(Personal, WhatIsWrittenParsesWithoutAWarning) {
  auto config = parsed(personal_slurm_conf(plan_of({7001, 7002, 7005})));
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->warnings, std::vector<std::string>());
  const ClusterConfig& c = config->config;
  EXPECT_EQ(c.cluster_name, "emil-yard");
  EXPECT_EQ(c.state_dir, "/srv/my cluster/state");
  ASSERT_EQ(c.nodes.size(), 3u);
  EXPECT_EQ(c.nodes[0].port, 7001);
  EXPECT_EQ(c.nodes[2].port, 7005);
  EXPECT_EQ(c.nodes[2].name, "n3");
  EXPECT_EQ(c.nodes[2].cpus, 4u);
  EXPECT_EQ(node_socket(c, "n2"), "/srv/my cluster/run/n2.sock");
  EXPECT_EQ(controller_socket(c), "/srv/my cluster/run/slurmctld.sock");
  ASSERT_EQ(c.partitions.size(), 1u);
  EXPECT_EQ(c.partitions[0].name, "debug");
}

TEST(Personal, OneNodeIsEnough) {
  auto config = parsed(personal_slurm_conf(plan_of({7001})));
  ASSERT_TRUE(config) << config.error().text;
  ASSERT_EQ(config->config.nodes.size(), 1u);
  EXPECT_EQ(config->config.nodes[0].name, "n1");
}

TEST(Personal, AnEditIsNoticed) {
  std::string text = personal_slurm_conf(plan_of({7001}));
  EXPECT_TRUE(is_untouched(text));
  EXPECT_FALSE(is_untouched(text + "MinJobAge=10\n"));
  EXPECT_FALSE(is_untouched(""));
  EXPECT_FALSE(is_untouched("ClusterName=x\n"));
}

TEST(Personal, SocketsGetAShortHomeWhenTheirPathWouldBeTooLong) {
  EXPECT_EQ(personal_run_folder("/h/emil/yard", 1000), "/h/emil/yard/run");
  std::string deep = "/" + std::string(100, 'd');
  std::string run = personal_run_folder(deep, 1000);
  EXPECT_TRUE(run.starts_with("/tmp/yardmaster-1000-")) << run;
  EXPECT_EQ(run, personal_run_folder(deep, 1000));
  EXPECT_NE(run, personal_run_folder(deep + "e", 1000));
  // The last folder that fits, and the first that does not.
  EXPECT_TRUE(personal_run_folder("/" + std::string(87, 'd'), 1).starts_with("/d"));
  EXPECT_TRUE(personal_run_folder("/" + std::string(88, 'd'), 1).starts_with("/tmp/"));
}

TEST(Personal, CommandsFindThePersonalClusterWhenNothingElseIsConfigured) {
  if (::access("/etc/slurm/slurm.conf", F_OK) == 0) GTEST_SKIP() << "this machine has a cluster";
  std::string home = ::testing::TempDir() + "personal_test_home";
  std::filesystem::create_directories(home + "/yardmaster/etc");
  ASSERT_TRUE(write_file(home + "/yardmaster/etc/slurm.conf", "ClusterName=x\n"));
  Variable none("SLURM_CONF", nullptr);
  Variable state("XDG_STATE_HOME", home.c_str());
  EXPECT_EQ(find_configuration().value_or("none"), home + "/yardmaster/etc/slurm.conf");
  std::filesystem::remove_all(home);
  EXPECT_FALSE(find_configuration());
}

}  // namespace
}  // namespace ym
