// SPDX-License-Identifier: Apache-2.0
#include "shepherd/usage.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace ym {
namespace {

TEST(ParseStat, ReadsTheFieldsBehindANameThatHoldsAnything) {
  auto stat = parse_stat(
      "1234 (a) b (c) S 17 1234 1234 0 -1 4194560 500 70 3 4 250 50 100 25 20 0 1 0 99 10485760 "
      "256 184467 1 1 0",
      4, 100);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 1234);
  EXPECT_EQ(stat->parent, 17);
  EXPECT_FALSE(stat->zombie);
  EXPECT_EQ(stat->usage.user_ms, 3500u) << "250 of its own and 100 of its children";
  EXPECT_EQ(stat->usage.system_ms, 750u);
  EXPECT_EQ(stat->usage.major_faults, 7u);
  EXPECT_EQ(stat->usage.vm_kb, 10240u);
  EXPECT_EQ(stat->usage.rss_kb, 1024u);
}

TEST(ParseStat, RefusesWhatIsCutOff) {
  EXPECT_FALSE(parse_stat("", 4, 100));
  EXPECT_FALSE(parse_stat("12 (x", 4, 100));
  EXPECT_FALSE(parse_stat("12 (x) S 1 2 3", 4, 100));
  EXPECT_FALSE(parse_stat("12 (x) S y 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9 9 9 9", 4, 100));
}

TEST(ParseIo, TakesTheBytesOfTheCalls) {
  Usage usage;
  parse_io("rchar: 4096\nwchar: 12\nsyscr: 3\nread_bytes: 7\n", usage);
  EXPECT_EQ(usage.read_bytes, 4096u);
  EXPECT_EQ(usage.write_bytes, 12u);
}

constexpr std::size_t kHeld = 32 << 20;

// A child that holds memory, and says when it does.
pid_t start_holder(int* ready) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  pid_t pid = ::fork();
  if (pid == 0) {
    void* held = ::mmap(nullptr, kHeld, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(held, 1, kHeld);
    [[maybe_unused]] ssize_t wrote = ::write(ends[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  ::close(ends[1]);
  *ready = ends[0];
  return pid;
}

TEST(UsageMeter, SeesMemoryThatIsHeldNowAndTheHighestAfterTheEnd) {
  int ready = -1;
  UsageMeter meter;
  pid_t pid = start_holder(&ready);
  meter.began(pid, 5);
  char byte;
  ASSERT_EQ(::read(ready, &byte, 1), 1);
  ::close(ready);
  meter.sample();
  EXPECT_GE(meter.tasks()[0].usage.rss_kb, kHeld / 1024);
  EXPECT_GE(meter.tasks()[0].usage.vm_kb, kHeld / 1024);
  EXPECT_GE(meter.tasks()[0].usage.write_bytes, 1u);
  EXPECT_EQ(meter.pids(), std::vector<std::uint32_t>{static_cast<std::uint32_t>(pid)});
  ::kill(pid, SIGKILL);
  siginfo_t dead{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &dead, WEXITED | WNOWAIT), 0);
  int status = 0;
  EXPECT_EQ(meter.reap(&status), pid);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(meter.tasks()[0].usage.rss_kb, 0u) << "it is gone";
  EXPECT_GE(meter.tasks()[0].usage.max_rss_kb, kHeld / 1024);
  StepUsage step = meter.total("n1");
  EXPECT_EQ(step.tasks, 1u);
  EXPECT_EQ(step.max_rss_kb.task, 5u);
  EXPECT_EQ(step.max_rss_kb.node, "n1");
  EXPECT_GE(step.total.write_bytes, 1u) << "read from the dead process";
  EXPECT_LE(meter.reap(&status), 0) << "no more children";
}

TEST(UsageMeter, CountsWhatATaskLeavesBehindAsTheTasks) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  UsageMeter meter;
  pid_t idle = ::fork();
  if (idle == 0) {
    ::pause();
    ::_exit(0);
  }
  pid_t pid = ::fork();
  if (pid == 0) {
    pid_t orphan = ::fork();
    if (orphan != 0) ::pause();
    [[maybe_unused]] ssize_t wrote = ::write(ends[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  meter.began(idle, 0);
  meter.began(pid, 1);
  char byte;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  meter.sample();
  EXPECT_EQ(meter.pids().size(), 3u);
  EXPECT_EQ(meter.tasks()[1].usage.write_bytes, 1u) << "its child's";
  ::kill(pid, SIGKILL);
  siginfo_t dead{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &dead, WEXITED | WNOWAIT), 0);
  int status = 0;
  EXPECT_EQ(meter.reap(&status), pid);
  meter.sample();
  EXPECT_EQ(meter.tasks()[1].usage.write_bytes, 1u) << "still the second task's";
  EXPECT_EQ(meter.tasks()[0].usage.write_bytes, 0u);
  for (std::uint32_t left : meter.pids()) ::kill(static_cast<pid_t>(left), SIGKILL);
  for (int left = 2; left > 0;) {
    ASSERT_EQ(::waitid(P_ALL, 0, &dead, WEXITED | WNOWAIT), 0);
    if (meter.reap(&status) > 0) --left;
  }
  EXPECT_EQ(meter.tasks()[1].usage.write_bytes, 1u);
  EXPECT_TRUE(meter.pids().empty());
  ::close(ends[0]);
  ::close(ends[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace ym
