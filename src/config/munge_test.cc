// SPDX-License-Identifier: Apache-2.0
#include "config/munge.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(MungeConfig, IsOffUnlessAuthTypeSaysSo) {
  ClusterConfig config;
  EXPECT_FALSE(munge_of(config).enabled);
  config.shown = {{"AuthType", "auth/slurm"}, {"AuthInfo", "socket=/run/m"}};
  EXPECT_FALSE(munge_of(config).enabled);
  config.shown = {{"AuthType", "auth/munge"}, {"AuthInfo", "cred_expire=9,socket=/run/m,ttl=3"}};
  EXPECT_TRUE(munge_of(config).enabled);
  EXPECT_EQ(munge_of(config).socket, "/run/m");
  config.shown = {{"AuthType", "auth/munge"}};
  EXPECT_EQ(munge_of(config).socket, "");
  EXPECT_NE(munge_payload("a", ""), munge_payload("b", ""));
  EXPECT_NE(munge_payload("a", "x"), munge_payload("a", ""));
  EXPECT_NE(munge_payload("a", "x"), munge_payload("a", "y"));
}

}  // namespace
}  // namespace ym
