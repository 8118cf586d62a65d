// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "base/format.h"

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

// Linkers and packagers move the old file out of the way before they remove it.
TEST(Processes, ADaemonWhoseFileWasReplacedIsStillFound) {
  std::string folder = ::testing::TempDir() + fmt::format("processes-{}", ::getpid());
  std::filesystem::create_directory(folder);
  std::filesystem::copy("/bin/sh", folder + "/slurmd");
  std::string conf = folder + "/slurm.conf";
  auto child = spawn({.program = folder + "/slurmd",
                      .arguments = {"-c", "kill -STOP $$", "slurmd", "-f", conf, "-N", "n1"},
                      .environment = {},
                      .folder = "/"});
  ASSERT_TRUE(child) << child.error().text;
  auto found = [&] {
    auto all = cluster_processes(conf, kSpool);
    return all.size() == 1 && all[0].pid == child->pid && all[0].program == "slurmd" &&
           all[0].node == "n1";
  };
  // It comes back from exec before all of /proc knows.
  EXPECT_TRUE(wait_until(std::chrono::seconds(20), found));
  std::filesystem::rename(folder + "/slurmd", folder + "/.old-1");
  std::filesystem::remove(folder + "/.old-1");
  EXPECT_TRUE(found());
  ::kill(child->pid, SIGKILL);
  wait_for_child(*child);
  EXPECT_TRUE(cluster_processes(conf, kSpool).empty());
  std::filesystem::remove_all(folder);
}

TEST(Processes, ChildrenOfChildrenAreFound) {
  auto child = spawn({.program = "/bin/sh",
                      .arguments = {"-c", "sh -c 'sleep 1000; true' & echo $!; wait"},
                      .environment = {"PATH=/usr/bin:/bin"},
                      .folder = "/",
                      .capture = true});
  ASSERT_TRUE(child) << child.error().text;
  std::vector<pid_t> below;
  EXPECT_TRUE(wait_until(std::chrono::seconds(20), [&] {
    below = descendants_of(child->pid);
    return below.size() == 2;
  }));
  ::kill(child->pid, SIGKILL);  // first: without its children the shell would end well by itself
  for (pid_t pid : below) ::kill(pid, SIGKILL);
  EXPECT_NE(wait_for_child(*child).exit_code, 0);
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
