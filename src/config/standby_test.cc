// SPDX-License-Identifier: Apache-2.0
#include "config/standby.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

ClusterConfig with(std::string parameters) {
  ClusterConfig config;
  config.shown = {{"SlurmctldParameters", std::move(parameters)}};
  return config;
}

TEST(Standby, TheLeaseHasATimeOfItsOwnWithinLimits) {
  EXPECT_EQ(standby_of(with("")).lease_time, Duration(3000));
  EXPECT_EQ(standby_of(with("enable_rpc_queue,lease_time=2500")).lease_time, Duration(2500));
  EXPECT_EQ(standby_of(with("lease_time=1")).lease_time, kLeaseTimeMin);
  EXPECT_EQ(standby_of(with("lease_time=much")).lease_time, Duration(3000));
}

TEST(Standby, SlurmctldTimeoutIsAnUpperBound) {
  ClusterConfig config = with("lease_time=60000");
  config.controller_timeout = std::chrono::seconds(2);
  EXPECT_EQ(standby_of(config).lease_time, Duration(2000));
}

TEST(Standby, RolesAreNamedAsSlurmNamesThem) {
  EXPECT_EQ(role_name(0), "primary");
  EXPECT_EQ(role_name(2), "backup2");
}

}  // namespace
}  // namespace ym
