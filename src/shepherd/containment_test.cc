// SPDX-License-Identifier: Apache-2.0
// Laid-out folders in place of the kernel's: what is written where. tests/cluster/test_containment
// has the real ones.
#include "shepherd/containment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/format.h"
#include "shepherd/cgroup_file.h"
#include "shepherd/device_filter.h"

namespace ym {
namespace {

using testing::IsEmpty;

class ContainmentTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void file(const std::string& path, const std::string& text = "") {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  std::string text(const std::string& path) { return read_cgroup(root_, path).value_or("(none)"); }
  // The kernel fills a new folder with its files; here they have to be there before.
  void step_files(const std::string& tree, const std::vector<std::string>& files) {
    for (const char* level : {"", "/yardmaster", "/yardmaster/n1",
                              "/yardmaster/n1/"
                              "job_7_0000000000000009",
                              "/yardmaster/n1/job_7_0000000000000009/step_0"})
      for (const std::string& one : files) file(tree + level + "/" + one);
  }
  ShepherdOrder order() {
    ShepherdOrder one{.job = JobId{7}, .sluid = Sluid{9}, .step = StepId{0}, .node = "n1"};
    one.cgroup.mount_point = root_;
    return one;
  }

  const std::string root_ = testing::TempDir() + fmt::format("ym_cgroup_{}", ::getpid());
  const std::string job_ = "yardmaster/n1/job_7_0000000000000009";
};

TEST_F(ContainmentTest, WithoutControlGroupsNothingTracksAndNothingFails) {
  Containment none(order());
  EXPECT_THAT(none.make(order()), IsEmpty());
  EXPECT_FALSE(none.tracks());
  EXPECT_FALSE(none.kill());
  EXPECT_EQ(none.oom_kills(), 0u);
}

TEST_F(ContainmentTest, DisabledMeansDisabled) {
  file("cgroup.controllers");
  file("cgroup.procs");
  ShepherdOrder one = order();
  one.cgroup.plugin = "disabled";
  Containment groups(one);
  groups.make(one);
  EXPECT_FALSE(groups.tracks());
}

TEST_F(ContainmentTest, AStepWithoutLimitsHasOneFolderOnly) {
  file("unified/cgroup.procs");
  file("memory/cgroup.procs");
  file("cpuset/cgroup.procs");
  Containment groups(order());
  EXPECT_THAT(groups.make(order()), IsEmpty());
  EXPECT_EQ(groups.tracker(), root_ + "/unified/" + job_ + "/step_0");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/memory/yardmaster"));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/cpuset/yardmaster"));
  groups.remove();
  EXPECT_FALSE(std::filesystem::exists(root_ + "/unified/" + job_));
}

TEST_F(ContainmentTest, OnVersionTwoLimitsAreInOneTree) {
  step_files("", {"cgroup.procs", "cgroup.controllers", "cgroup.subtree_control", "memory.max",
                  "memory.swap.max", "memory.oom.group", "cpuset.cpus", "cgroup.freeze"});
  ShepherdOrder one = order();
  one.job_memory_mb = 100;
  one.memory_mb = 50;
  one.job_cpus = "0-3";
  one.cpus = "1";
  one.oom_kill_step = true;
  one.cgroup.constrain_swap = true;
  one.cgroup.allowed_swap_percent = 50;
  Containment groups(one);
  EXPECT_THAT(groups.make(one), IsEmpty());
  EXPECT_EQ(text(job_ + "/memory.max"), fmt::format("{}", 100 << 20));
  EXPECT_EQ(text(job_ + "/memory.swap.max"), fmt::format("{}", 50 << 20));
  EXPECT_EQ(text(job_ + "/step_0/memory.max"), fmt::format("{}", 50 << 20));
  EXPECT_EQ(text(job_ + "/step_0/memory.oom.group"), "1");
  EXPECT_EQ(text(job_ + "/cpuset.cpus"), "0-3");
  EXPECT_EQ(text(job_ + "/step_0/cpuset.cpus"), "1");
  EXPECT_EQ(text("cgroup.subtree_control").substr(0, 7), "+cpuset");
  EXPECT_TRUE(groups.freeze());
  EXPECT_EQ(text(job_ + "/step_0/cgroup.freeze"), "1");
  EXPECT_TRUE(groups.thaw());
  EXPECT_EQ(text(job_ + "/step_0/cgroup.freeze"), "0");
}

TEST_F(ContainmentTest, OnVersionOneEveryLevelOfTheCpuSetsIsFilled) {
  step_files("cpuset", {"cgroup.procs", "cpuset.cpus", "cpuset.mems"});
  file("cpuset/cpuset.cpus", "0-7\n");
  file("cpuset/cpuset.mems", "0-1\n");
  ShepherdOrder one = order();
  one.job_cpus = "2-3";
  Containment groups(one);
  EXPECT_THAT(groups.make(one), IsEmpty());
  EXPECT_EQ(text("cpuset/yardmaster/n1/cpuset.cpus"), "0-7");
  EXPECT_EQ(text("cpuset/" + job_ + "/cpuset.cpus"), "2-3");
  EXPECT_EQ(text("cpuset/" + job_ + "/step_0/cpuset.cpus"), "2-3");
  EXPECT_EQ(text("cpuset/" + job_ + "/step_0/cpuset.mems"), "0-1");
}

TEST_F(ContainmentTest, MemoryIsNeverLimitedBelowTheLeast) {
  step_files("memory", {"cgroup.procs", "memory.limit_in_bytes", "memory.oom_control"});
  ShepherdOrder one = order();
  one.memory_mb = 1;
  Containment groups(one);
  EXPECT_THAT(groups.make(one), IsEmpty());
  EXPECT_EQ(text("memory/" + job_ + "/step_0/memory.limit_in_bytes"), fmt::format("{}", 30 << 20));
  EXPECT_EQ(text("memory/" + job_ + "/memory.limit_in_bytes"), "");
  file("memory/" + job_ + "/step_0/memory.oom_control",
       "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  EXPECT_EQ(groups.oom_kills(), 3u);
}

TEST_F(ContainmentTest, UnlessMemoryIsConstrainedNothingIsLimited) {
  step_files("memory", {"cgroup.procs", "memory.limit_in_bytes"});
  ShepherdOrder one = order();
  one.memory_mb = 50;
  one.cgroup.constrain_memory = false;
  Containment groups(one);
  groups.make(one);
  EXPECT_EQ(text("memory/" + job_ + "/step_0/memory.limit_in_bytes"), "");
}

class LoweredMemory : public ContainmentTest {
 protected:
  static std::string mb(std::uint64_t megabytes) { return fmt::format("{}", megabytes << 20); }
  // A job that may have 400 MB, and a step of it 300 MB.
  Containment contained() {
    ShepherdOrder one = order();
    one.job_memory_mb = 400;
    one.memory_mb = 300;
    one.cgroup.constrain_swap = true;
    one.cgroup.allowed_swap_percent = 50;
    Containment groups(one);
    EXPECT_THAT(groups.make(one), IsEmpty());
    return groups;
  }
};

TEST_F(LoweredMemory, OfTheJobAndOfTheStepAndTheirSwap) {
  step_files("memory", {"cgroup.procs", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes",
                        "memory.stat"});
  Containment groups = contained();
  EXPECT_EQ(groups.lower_memory(200), 200u);
  EXPECT_EQ(text("memory/" + job_ + "/memory.limit_in_bytes"), mb(200));
  EXPECT_EQ(text("memory/" + job_ + "/memory.memsw.limit_in_bytes"), mb(300));
  EXPECT_EQ(text("memory/" + job_ + "/step_0/memory.limit_in_bytes"), mb(200));
  EXPECT_EQ(groups.lower_memory(350), 350u) << "what it may have is less than that";
  EXPECT_EQ(text("memory/" + job_ + "/memory.limit_in_bytes"), mb(200)) << "never raised";
  ShepherdOrder next = order();
  next.step = StepId{1};
  next.job_memory_mb = 400;  // signed before
  Containment later(next);
  later.make(next);
  EXPECT_EQ(text("memory/" + job_ + "/memory.limit_in_bytes"), mb(200));
}

TEST_F(LoweredMemory, NotBelowWhatIsResidentNow) {
  step_files("memory", {"cgroup.procs", "memory.limit_in_bytes", "memory.stat"});
  Containment groups = contained();
  file("memory/" + job_ + "/memory.stat",
       fmt::format("cache 5\ntotal_rss {}\ntotal_shmem {}\n", 150 << 20, 10 << 20));
  EXPECT_EQ(groups.job_resident_mb(), 160u);
  EXPECT_EQ(groups.lower_memory(100), 170u);
  EXPECT_EQ(text("memory/" + job_ + "/memory.limit_in_bytes"), mb(170));
  file("memory/" + job_ + "/memory.stat", fmt::format("total_rss {}\n", 165 << 20));
  EXPECT_EQ(groups.lower_memory(100), 170u) << "as it is";
}

TEST_F(LoweredMemory, OnVersionTwoNobodyIsKilledForIt) {
  step_files("", {"cgroup.procs", "cgroup.controllers", "cgroup.subtree_control", "memory.max",
                  "memory.high", "memory.current", "memory.swap.max", "memory.stat"});
  Containment groups = contained();
  file(job_ + "/memory.current", mb(350) + "\n");  // a cache that cannot be reclaimed
  EXPECT_EQ(groups.lower_memory(200), 400u);
  EXPECT_EQ(text(job_ + "/memory.max"), mb(400));
  EXPECT_EQ(text(job_ + "/memory.high").substr(0, 3), "max");
  file(job_ + "/memory.current", mb(150) + "\n");
  EXPECT_EQ(groups.lower_memory(200), 200u);
  EXPECT_EQ(text(job_ + "/memory.max"), mb(200));
  EXPECT_EQ(text(job_ + "/memory.swap.max"), mb(100));
}

TEST_F(LoweredMemory, WhereNothingIsLimitedThereIsNothingToLower) {
  Containment none(order());
  none.make(order());
  EXPECT_EQ(none.lower_memory(100), 0u);
  EXPECT_EQ(none.job_resident_mb(), 0u);
}

// The machine's own groups, where there are any that this user may make.
TEST(RealContainment, AProcessIsBornWithItsCpusOnly) {
  ShepherdOrder one{.job = JobId{7},
                    .sluid = Sluid{static_cast<std::uint64_t>(::getpid())},
                    .step = StepId{0},
                    .node = "unit-test"};
  one.job_cpus = one.cpus = "0";
  Containment groups(one);
  std::vector<std::string> troubles = groups.make(one);
  if (!groups.tracks() || !troubles.empty()) GTEST_SKIP() << "no control groups to make here";
  pid_t pid = groups.fork_inside();
  if (pid == 0) {
    std::string status = read_cgroup("/proc/self", "status").value_or("");
    ::_exit(status.find("Cpus_allowed_list:\t0\n") == std::string::npos ? 1 : 0);
  }
  int code = -1;
  ASSERT_EQ(::waitpid(pid, &code, 0), pid);
  EXPECT_EQ(code, 0);
  groups.remove();
  EXPECT_FALSE(std::filesystem::exists(groups.tracker()));
}

TEST(RealContainment, TasksOfOneStepAreInGroupsOfTheirOwnAndDieTogether) {
  ShepherdOrder one{.job = JobId{8},
                    .sluid = Sluid{static_cast<std::uint64_t>(::getpid())},
                    .step = StepId{0},
                    .node = "unit-test",
                    .tasks = {TaskOrder{.rank = 0}, TaskOrder{.rank = 1}}};
  Containment groups(one);
  std::vector<std::string> troubles = groups.make(one);
  if (!groups.tracks() || !troubles.empty()) GTEST_SKIP() << "no control groups to make here";
  std::vector<pid_t> children;
  for (std::size_t task = 0; task < 2; ++task) {
    pid_t pid = groups.fork_inside(task);
    if (pid == 0) {
      ::raise(SIGSTOP);
      ::_exit(0);
    }
    // Who cannot be born in its group goes there before it comes back.
    ASSERT_EQ(::waitpid(pid, nullptr, WUNTRACED), pid);
    children.push_back(pid);
  }
  for (std::size_t task = 0; task < 2; ++task)
    EXPECT_EQ(cgroup_members(groups.task_tracker(task)), std::vector<pid_t>{children[task]});
  EXPECT_EQ(groups.members(), children);
  // As slurmd finds it after the shepherd was killed.
  Containment found(one.cgroup, one.node, one.job, one.sluid, one.step);
  EXPECT_EQ(found.members(), children);
  EXPECT_TRUE(found.kill());
  for (pid_t child : children) ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  found.remove();
  EXPECT_FALSE(std::filesystem::exists(groups.tracker()));
}

TEST(DeviceRules, AreReadAndWrittenAsTheKernelSpellsThem) {
  for (const char* rule : {"c 195:0 rwm", "b 8:* r", "a *:* m"}) {
    auto parsed = parse_device_rule(rule);
    ASSERT_TRUE(parsed) << rule;
    EXPECT_EQ(text_of(*parsed), rule);
  }
  for (const char* wrong :
       {"", "c", "c 1:3", "d 1:3 r", "c 1 r", "c 1:x r", "c 1:3 rx", "c 1:3 r w"})
    EXPECT_FALSE(parse_device_rule(wrong)) << wrong;
}

}  // namespace
}  // namespace ym
