// SPDX-License-Identifier: Apache-2.0
#include "os/privileges.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ym {
namespace {

// The leak sanitizer looks into the memory of its own process.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHidesMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kHidesMemory = false;
#else
constexpr bool kHidesMemory = true;
#endif
#else
constexpr bool kHidesMemory = true;
#endif

constexpr int kNeeded[] = {
    CAP_CHOWN,             // scripts, terminals and folders of jobs become the user's
    CAP_DAC_OVERRIDE,      // control groups and the spool, whatever their modes
    CAP_FOWNER,            // modes of what has been given away
    CAP_KILL,              // signals to tasks of all users
    CAP_SETGID,            // becoming the user
    CAP_SETUID,            // the same
    CAP_NET_ADMIN,         // attaching a filter of devices, which some kernels count as that
    CAP_NET_BIND_SERVICE,  // a SlurmdPort below 1024
    CAP_SYS_ADMIN,         // filters of devices; namespaces and mounts of containers
    CAP_SYS_NICE,          // priority and CPUs of others' tasks
    CAP_SYS_PTRACE,        // which job a stray process is of: its environment
    CAP_SYS_RESOURCE,      // limits of a task above our own
};

struct Capabilities {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2]{};
  bool read() { return ::syscall(SYS_capget, &header, data) == 0; }
  bool write() { return ::syscall(SYS_capset, &header, data) == 0; }
};

}  // namespace

std::uint64_t needed_capabilities() {
  std::uint64_t all = 0;
  for (int one : kNeeded) all |= std::uint64_t{1} << one;
  return all;
}

bool keep_no_capability() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return Capabilities().write();
}

void keep_needed_capabilities(GiveUp how) {
  if (::geteuid() != 0) return;
  Capabilities ours;
  if (!ours.read()) return;
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  std::uint64_t needed = needed_capabilities();
  for (int half = 0; half < 2; ++half) {
    auto mask = static_cast<std::uint32_t>(needed >> (32 * half));
    if (how == GiveUp::ForGood) ours.data[half].permitted &= mask;
    ours.data[half].effective &= mask;
  }
  // In a container some may be missing already; less than that is no reason to stop.
  static_cast<void>(ours.write());
}

void hide_memory() {
  // A change of user hides it, too.
  ::prctl(PR_SET_DUMPABLE, kHidesMemory ? 0 : 1, 0, 0, 0);
}

}  // namespace ym
