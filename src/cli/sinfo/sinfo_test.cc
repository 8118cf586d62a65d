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
  nodes[3].free_memory_mb = 800;
  nodes[3].cpu_load = 125;
  NodeSpec larger = *nodes[3].node.spec;
  larger.cpus = larger.sockets = 8;
  nodes[3].node.spec = Ref<NodeSpec>(larger);
  auto out = render_nodes(parsed.settings, partitions, nodes, kNow);
  return out ? *out : "error: " + out.error().text;
}

TEST(Sinfo, ReservationsHaveALineEach) {
  ReservationRow one;
  one.reservation.name = "a_rather_long_name";
  one.reservation.start = kNow - std::chrono::hours(1);
  one.reservation.end = kNow + std::chrono::hours(30);
  one.nodes = "n[1-2]";
  std::string out = render_reservations({one}, true, kNow);
  EXPECT_TRUE(out.starts_with("RESV_NAME              STATE           START_TIME")) << out;
  EXPECT_NE(out.find("\na_rather_long_name    ACTIVE  "), std::string::npos) << out;
  EXPECT_TRUE(out.ends_with("   1-07:00:00  n[1-2]\n")) << out;
  one.reservation.name = "x";
  EXPECT_TRUE(render_reservations({one}, false, kNow).starts_with("x            ACTIVE  "));
  EXPECT_EQ(render_reservations({}, true, kNow), "No reservations in the system\n");
}

TEST(Sinfo, PutsNodesThatAreAlikeOnOneLine) {
  EXPECT_EQ(shown({}),
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
            "debug*       up   infinite      1 drain* n4\n"
            "debug*       up   infinite      1    mix n3\n"
            "debug*       up   infinite      2   idle n[1-2]\n"
            "long         up   infinite      1   idle n1\n");
}

TEST(Sinfo, ShowsEachNodeOnRequestForEachPartition) {
  EXPECT_EQ(shown({"-N"}),
            "NODELIST   NODES PARTITION STATE \n"
            "n1             1    debug* idle  \n"
            "n1             1      long idle  \n"
            "n2             1    debug* idle  \n"
            "n3             1    debug* mix   \n"
            "n4             1    debug* drain*\n");
  EXPECT_EQ(shown({"-hN", "-o", "%N %t"}), "n1 idle\nn1 idle\nn2 idle\nn3 mix\nn4 drain*\n");
}

TEST(Sinfo, SumsPartitionsUp) {
  EXPECT_EQ(shown({"-s"}),
            "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST\n"
            "debug*       up   infinite          1/2/1/4 n[1-4]\n"
            "long         up   infinite          0/1/0/1 n1\n");
}

TEST(Sinfo, TellsWhyNodesAreOut) {
  EXPECT_EQ(shown({"-R", "-o", "%E|%N"}), "REASON|NODELIST\nbroken fan|n4\n");
}

TEST(Sinfo, CountsCpus) { EXPECT_EQ(shown({"-h", "-p", "debug", "-o", "%C"}), "2/10/8/20\n"); }

TEST(Sinfo, Filters) {
  EXPECT_EQ(shown({"-h", "-t", "idle", "-o", "%N %t"}), "n[1-2] idle\n");
  EXPECT_EQ(shown({"-h", "-t", "drain", "-o", "%N"}), "n4\n");
  EXPECT_EQ(shown({"-h", "-t", "drain&no_respond", "-p", "debug", "-o", "%N"}), "n4\n");
  EXPECT_EQ(shown({"-h", "-t", "idle&drain", "-p", "debug", "-o", "%P|%D|%t|%N"}),
            "debug*|0|n/a|\n");
  EXPECT_EQ(shown({"-h", "-n", "n[1,3]", "-p", "debug", "-o", "%N %T"}), "n3 mixed\nn1 idle\n");
  EXPECT_EQ(shown({"-h", "-d", "-o", "%N"}), "n4\n");
  EXPECT_EQ(shown({"-h", "-p", "nowhere"}), "");
}

TEST(Sinfo, FindsReservedNodesAndThoseThatAreNotInAState) {
  auto chosen = [](std::string_view states, const Node& node) {
    auto choice = NodeStateChoice::parse(states);
    return choice && choice->holds(node);
  };
  Node upkeep = node(1).node;
  upkeep.reserved = upkeep.maintenance = true;
  for (const char* word : {"maint", "resv", "RESERVED", "idle&maint", "idle+resv", "~drain"})
    EXPECT_TRUE(chosen(word, upkeep)) << word;
  for (const char* word : {"maint", "resv", "~idle", "idle&~cloud&resv", "perfctrs", "blocked"})
    EXPECT_FALSE(chosen(word, node(1).node)) << word;
  EXPECT_GT(state_number(upkeep), state_number(node(1).node));
  for (const char* word : {"alloc",      "allocated",     "blocked",
                           "cloud",      "comp",          "completing",
                           "down",       "drain",         "drained",
                           "draining",   "fail",          "failing",
                           "future",     "futr",          "idle",
                           "inval",      "maint",         "mix",
                           "mixed",      "no_respond",    "npc",
                           "perfctrs",   "planned",       "plnd",
                           "power_down", "powering_down", "powered_down",
                           "power_up",   "powering_up",   "reboot_issued",
                           "resv",       "reserved",      "reboot_requested",
                           "unk",        "unknown"})
    EXPECT_TRUE(NodeStateChoice::parse(word)) << word;
}

TEST(Sinfo, TellsWhatAdministratorsSaidOfNodes) {
  NodeRow told = node(1);
  NodeSpec spec = *told.node.spec;
  spec.features = "a,b";
  told.node.spec = Ref<NodeSpec>(spec);
  told.node.active_features = "a";
  told.node.features_chosen = true;
  told.node.comment = "new fan";
  told.node.extra = "rack 7";
  told.reservation = "course";
  auto columns = [&](const char* option, const char* format) {
    auto parsed = parse_command(sinfo_page(), sinfo_table(), {"-h", option, format}, Operands::Mix);
    return *render_nodes(parsed.settings, {partition(1, "debug", true)}, {told, node(2)}, kNow);
  };
  EXPECT_EQ(columns("-o", "%f|%b|%N"), "a,b|a|n1\n(null)|(null)|n2\n");
  EXPECT_EQ(columns("-o", "%i|%N"), "course|n1\n|n2\n");
  EXPECT_EQ(columns("-O", "comment:9,extra:8,reservation:7"),
            "new fan  rack 7  course \n(null)   (null)         \n");
}

TEST(Sinfo, RefusesStatesThatDoNotExist) {
  auto parsed = parse_command(sinfo_page(), sinfo_table(), {"-t", "idel"}, Operands::Mix);
  EXPECT_TRUE(parsed.settings.report.refusal.starts_with(
      "Bad state string: \"idel\"; did you mean idle?\nvalid states: allocated,"))
      << parsed.settings.report.refusal;
}

TEST(Sinfo, SortsByNameOrAsConfigured) {
  EXPECT_EQ(shown({"-h", "-o", "%R", "-S", "-P"}), "long\ndebug\n");
  EXPECT_EQ(shown({"-h", "-o", "%R", "-S", "#P"}), "debug\nlong\n");
  EXPECT_EQ(shown({"-h", "-o", "%R", "-S", "nonsense"}), "debug\nlong\n");
}

TEST(Sinfo, KeepsTheStarOfTheDefaultPartition) {
  EXPECT_EQ(shown({"-h", "-o", "%3P|%.4P|%2R"}), "de*|deb*|de\nlon|long|lo\n");
}

TEST(Sinfo, TellsSpansOfLoadAndMemory) {
  EXPECT_EQ(shown({"-h", "-p", "debug", "-o", "%c %O %e %z"}), "4+ 0.00-1.25 0-800 4+:1:1\n");
  EXPECT_EQ(shown({"-h", "-p", "debug", "-e", "-o", "%c %N"}), "8 n4\n4 n[1-3]\n");
}

TEST(Sinfo, KnowsEveryFieldOfTheManual) {
  for (const char* field : {"All",           "AllocMem",       "AllocNodes",
                            "Available",     "Cluster",        "Comment",
                            "Cores",         "CPUs",           "CPUsLoad",
                            "CPUsState",     "DefaultTime",    "Disk",
                            "Extra",         "Features",       "features_act",
                            "FreeMem",       "Gres",           "GresUsed",
                            "Groups",        "MaxCPUsPerNode", "Memory",
                            "NodeAddr",      "NodeAI",         "NodeAIOT",
                            "NodeHost",      "NodeList",       "Nodes",
                            "OverSubscribe", "Partition",      "PartitionName",
                            "Port",          "PreemptMode",    "PriorityJobFactor",
                            "PriorityTier",  "Reason",         "Reservation",
                            "Root",          "Size",           "SocketCoreThread",
                            "Sockets",       "StateCompact",   "StateComplete",
                            "StateLong",     "Threads",        "Time",
                            "TimeStamp",     "User",           "UserLong",
                            "Version",       "Weight"}) {
    auto parsed = parse_command(sinfo_page(), sinfo_table(), {"-O", field}, Operands::Mix);
    std::vector<std::string> complaints;
    EXPECT_TRUE(render_nodes(parsed.settings, {}, {}, kNow, &complaints));
    EXPECT_EQ(complaints, std::vector<std::string>{}) << field;
  }
}

TEST(Sinfo, ANodeStandsOnceIfItsPartitionIsNotShown) {
  EXPECT_EQ(shown({"-h", "-o", "%D %N"}), "4 n[1-4]\n");
}

}  // namespace
}  // namespace ym::cli
