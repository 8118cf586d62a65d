// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/sinfo.h"

#include <gtest/gtest.h>

#include "cli/common/made_up_rows.h"

namespace ym::cli {
namespace {

using made_up::kNow;
using made_up::node;
using made_up::partition;

std::string shown(const std::vector<std::string>& arguments) {
  auto parsed = parse_command(sinfo_page(), sinfo_table(), arguments, Operands::Mix);
  EXPECT_FALSE(parsed.exit_code);
  std::vector<PartitionRow> partitions = {partition(1, "debug", true), partition(2, "long", false)};
  std::vector<NodeRow> nodes = {node(1), node(2), node(3, 2), node(4)};
  nodes[0].partitions = {"debug", "long"};
  nodes[3].node.drain = true;
  nodes[3].node.responding = false;
  nodes[3].node.reason = "broken fan";
  auto out = render_nodes(parsed.settings, partitions, nodes, kNow);
  return out ? *out : "error: " + out.error().text;
}

TEST(Sinfo, PutsNodesThatAreAlikeOnOneLine) {
  EXPECT_EQ(shown({}),
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
            "debug*       up   infinite      1 drain* n4\n"
            "debug*       up   infinite      1    mix n3\n"
            "debug*       up   infinite      2   idle n[1-2]\n"
            "long         up   infinite      1   idle n1\n");
}

TEST(Sinfo, ShowsEachNodeOnRequest) {
  EXPECT_EQ(shown({"-N"}),
            "NODELIST  NODES PARTITION STATE  \n"
            "n1            1 debug*    idle   \n"
            "n1            1 long      idle   \n"
            "n2            1 debug*    idle   \n"
            "n3            1 debug*    mix    \n"
            "n4            1 debug*    drain* \n");
}

TEST(Sinfo, SumsPartitionsUp) {
  EXPECT_EQ(shown({"-s"}),
            "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T)  NODELIST\n"
            "debug*       up   infinite          1/2/1/4  n[1-4]\n"
            "long         up   infinite          0/1/0/1  n1\n");
}

TEST(Sinfo, TellsWhyNodesAreOut) {
  EXPECT_EQ(shown({"-R", "-o", "%E|%N"}), "REASON|NODELIST\nbroken fan|n4\n");
}

TEST(Sinfo, CountsCpus) { EXPECT_EQ(shown({"-h", "-p", "debug", "-o", "%C"}), "2/10/4/16\n"); }

TEST(Sinfo, Filters) {
  EXPECT_EQ(shown({"-h", "-t", "idle", "-o", "%N %t"}), "n[1-2] idle\n");
  EXPECT_EQ(shown({"-h", "-t", "drain", "-o", "%N"}), "n4\n");
  EXPECT_EQ(shown({"-h", "-n", "n[1,3]", "-p", "debug", "-o", "%N %T"}), "n3 mixed\nn1 idle\n");
  EXPECT_EQ(shown({"-h", "-d", "-o", "%N"}), "n4\n");
  EXPECT_EQ(shown({"-h", "-p", "nowhere"}), "");
}

TEST(Sinfo, ANodeStandsOnceIfItsPartitionIsNotShown) {
  EXPECT_EQ(shown({"-h", "-o", "%D %N"}), "4 n[1-4]\n");
}

}  // namespace
}  // namespace ym::cli
