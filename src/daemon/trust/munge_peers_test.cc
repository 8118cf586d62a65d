// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/munge_peers.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(MungePeers, AreNobodyUnlessAuthTypeIsMunge) {
  ClusterConfig config;
  config.cluster_name = "emil";
  EXPECT_FALSE(munge_peers(config));
  config.shown = {{"AuthType", "auth/munge"}, {"AuthInfo", "socket=/nonexistent/munge.socket"}};
  auto peers = munge_peers(config);
  ASSERT_TRUE(peers);
  auto peer = peers("MUNGE:forged:", "");
  ASSERT_FALSE(peer) << "with libmunge nobody answers, without it there is none";
  EXPECT_FALSE(peer.error().text.empty());
}

}  // namespace
}  // namespace ym
