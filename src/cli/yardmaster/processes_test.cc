// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/processes.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

const std::string kConf = "/y/etc/slurm.conf", kSpool = "/y/spool";

TEST(Processes, ADaemonOfThisClusterNamesItsConfiguration) {
  auto node = classify({"slurmd", {"-f", kConf, "-N", "n2"}, {}}, kConf, kSpool);
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node, "n2");
  EXPECT_TRUE(classify({"slurmctld", {}, {"SLURM_CONF=" + kConf}}, kConf, kSpool));
}

TEST(Processes, OthersAreLeftAlone) {
  EXPECT_FALSE(classify({"slurmd", {"-f", "/z/etc/slurm.conf"}, {}}, kConf, kSpool));
  EXPECT_FALSE(
      classify({"slurmd", {"-f", "/z/etc/slurm.conf"}, {"SLURM_CONF=" + kConf}}, kConf, kSpool));
  EXPECT_FALSE(classify({"slurmd", {}, {}}, kConf, kSpool));
  EXPECT_FALSE(classify({"vi", {"-f", kConf}, {}}, kConf, kSpool));
}

TEST(Processes, AShepherdIsKnownByItsFolderNotByTheJobsEnvironment) {
  EXPECT_TRUE(classify({"slurmstepd", {"/y/spool/n1/attempts/x/batch"}, {}}, kConf, kSpool));
  EXPECT_FALSE(classify({"slurmstepd", {"/y/spool2/n1/x"}, {}}, kConf, kSpool));
  EXPECT_FALSE(classify({"slurmstepd", {"/z"}, {"SLURM_CONF=" + kConf}}, kConf, kSpool));
}

TEST(Processes, AChildsOutputAndExitCodeComeBack) {
  auto child = spawn({.program = "/bin/sh",
                      .arguments = {"-c", "echo hi; exit 3"},
                      .environment = {},
                      .folder = "/",
                      .capture = true});
  ASSERT_TRUE(child) << child.error().text;
  ChildEnd end = wait_for_child(*child);
  EXPECT_EQ(end.output, "hi\n");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_FALSE(alive(child->pid));
}

}  // namespace
}  // namespace ym::cli
