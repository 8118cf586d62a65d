// SPDX-License-Identifier: Apache-2.0
#include "os/short_turns.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <thread>

namespace ym {
namespace {

struct Turns {
  std::uint64_t length_ns = 0;
  int policy = 0;
};

// Bytes 24 to 31 of what the kernel tells of a thread; kernels before 6.12 say 0.
Turns own_turns() {
  std::array<std::uint64_t, 7> told{};
  EXPECT_EQ(::syscall(SYS_sched_getattr, 0, told.data(), sizeof told, 0), 0);
  return {.length_ns = told[3], .policy = ::sched_getscheduler(0)};
}

TEST(ShortTurns, AreOfTheThreadAlone) {
  Turns usual = own_turns();
  std::thread([usual] {
    ASSERT_GE(::getpriority(PRIO_PROCESS, 0), 0) << "run without a priority";
    take_short_turns();
    Turns mine = own_turns();
    if (usual.length_ns != 0) EXPECT_EQ(mine.length_ns, 100'000u);
    EXPECT_EQ(mine.policy & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
    std::thread([usual] { EXPECT_EQ(own_turns().length_ns, usual.length_ns); }).join();
    pid_t child = ::fork();
    if (child == 0) ::_exit(own_turns().length_ns == usual.length_ns ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a child has its parent's turns";
  }).join();
  EXPECT_EQ(own_turns().length_ns, usual.length_ns);
}

TEST(ShortTurns, LeaveTheNiceValueAsItWas) {
  std::thread([] {
    int before = ::getpriority(PRIO_PROCESS, 0);
    ASSERT_EQ(::setpriority(PRIO_PROCESS, 0, before + 1), 0);
    take_short_turns();
    EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before + 1);
  }).join();
}

}  // namespace
}  // namespace ym
