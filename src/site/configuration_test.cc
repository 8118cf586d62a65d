// SPDX-License-Identifier: Apache-2.0
#include "site/configuration.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ym {
namespace {

TEST(Configuration, SocketsStandBesideThePidFiles) {
  ClusterConfig config;
  config.controller_pid_file = "/run/slurmctld.pid";
  EXPECT_EQ(controller_socket(config), "/run/slurmctld.sock");
  config.controller_pid_file = "/run/ctl";
  EXPECT_EQ(controller_socket(config), "/run/ctl.sock");
}

TEST(Configuration, AControllersAreInAFolderOfTheirOwnWhereThereIsOne) {
  char folder[] = "/tmp/ym-site-XXXXXX";
  ASSERT_TRUE(::mkdtemp(folder));
  std::string own = std::string(folder) + "/ctl";
  ClusterConfig config;
  config.controller_pid_file = own + ".pid";
  EXPECT_EQ(controller_socket(config), own + ".sock");
  ASSERT_EQ(::mkdir(own.c_str(), 0755), 0);
  EXPECT_EQ(controller_socket(config), own + "/ctl.sock");
  EXPECT_EQ(controller_trust_file(config), own + "/ctl.ca");
  ::rmdir(own.c_str());
  ::rmdir(folder);
}

TEST(Configuration, ANodesSocketKnowsItsNodeAndItsHost) {
  ClusterConfig config;
  config.node_pid_file = "/run/slurmd-%n-%h.pid";
  config.nodes.push_back({.name = "n1", .hostname = "box"});
  EXPECT_EQ(node_socket(config, "n1"), "/run/slurmd-n1-box.sock");
  EXPECT_EQ(node_socket(config, "n2"), "/run/slurmd-n2-n2.sock");
}

TEST(Configuration, TheKeyStandsBesideSlurmConfUnlessConfigured) {
  LoadedConfiguration loaded{.path = "/etc/slurm/slurm.conf"};
  EXPECT_EQ(key_file(loaded.path, loaded.config), "/etc/slurm/slurm.key");
  loaded.config.key_file = "/secret/key";
  EXPECT_EQ(key_file(loaded.path, loaded.config), "/secret/key");
}

TEST(Configuration, TheEnvironmentNamesTheFile) {
  ::setenv("SLURM_CONF", "/nowhere/slurm.conf", 1);
  EXPECT_EQ(find_configuration().value(), "/nowhere/slurm.conf");
  auto loaded = load_configuration();
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().text.find("/nowhere/slurm.conf"), std::string::npos)
      << loaded.error().text;
  ::unsetenv("SLURM_CONF");
}

}  // namespace
}  // namespace ym
