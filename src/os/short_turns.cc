// SPDX-License-Identifier: Apache-2.0
#include "os/short_turns.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace ym {
namespace {

constexpr std::uint64_t kTurn_ns = 100'000;  // the shortest that there is

// As the kernel has it; Debian 12's C library knows neither the call nor this.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
  std::uint32_t least_utilisation = 0;
  std::uint32_t most_utilisation = 0;
};
static_assert(sizeof(SchedulingAttributes) == 56);

constexpr std::uint64_t kResetOnFork = 1;

}  // namespace

void take_short_turns() {
  SchedulingAttributes now;
  if (::syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0) return;
  // Children would lose a nice value below 0: the kernel resets that with the turns.
  if (now.policy != SCHED_OTHER || now.nice < 0) return;
  SchedulingAttributes wanted;
  wanted.policy = SCHED_OTHER;
  wanted.flags = kResetOnFork;
  wanted.nice = now.nice;
  wanted.runtime = kTurn_ns;
  // Nothing is lost if it is refused.
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &wanted, 0));
}

}  // namespace ym
