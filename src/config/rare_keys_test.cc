// SPDX-License-Identifier: Apache-2.0
#include "config/rare_keys.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(RareKeys, LabelsAreOfUsersGroupsAccountsOrAnybodysChoice) {
  McsRules rules;
  set_mcs_plugin(rules, "mcs/group");
  EXPECT_EQ(rules.kind, McsKind::Group);
  set_mcs_plugin(rules, "MCS/User");
  EXPECT_EQ(rules.kind, McsKind::User);
  set_mcs_plugin(rules, "mcs/none");
  EXPECT_EQ(rules.kind, McsKind::None);
}

TEST(RareKeys, LabelsAreKeptApartOnDemandUnlessToldOtherwise) {
  McsRules rules;
  set_mcs_parameters(rules, "");
  EXPECT_EQ(rules, McsRules{});
  set_mcs_parameters(rules, "enforced,select,privatedata:red|blue");
  EXPECT_TRUE(rules.enforced);
  EXPECT_TRUE(rules.private_data);
  EXPECT_EQ(rules.select, McsSelect::Always);
  EXPECT_EQ(rules.groups, (std::vector<std::string>{"red", "blue"}));
}

TEST(RareKeys, PortsAreARangeAmongOtherWords) {
  ClusterConfig config;
  set_mpi_ports(config, "disable_slurm_hydra_bootstrap,ports=12000-12005");
  EXPECT_EQ(config.mpi_port_first, 12000);
  EXPECT_EQ(config.mpi_port_last, 12005);
  ClusterConfig none;
  for (const char* text : {"ports=5", "ports=9-3", "ports=0-7", "ports=1-70000", ""})
    set_mpi_ports(none, text);
  EXPECT_EQ(none.mpi_port_first, 0);
}

}  // namespace
}  // namespace ym
