// SPDX-License-Identifier: Apache-2.0
#include "os/open_files.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ym {
namespace {

// Of the process, as the kernel's own is. Written once, before there are threads.
rlimit g_before{};
bool g_raised = false;

}  // namespace

std::uint64_t open_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

std::uint64_t raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
  if (limit.rlim_cur >= limit.rlim_max || ::setrlimit(RLIMIT_NOFILE, &raised) != 0)
    return limit.rlim_cur;
  g_before = limit;
  g_raised = true;
  return raised.rlim_cur;
}

void lower_open_files(pid_t child) {
  if (g_raised) ::syscall(SYS_prlimit64, child, RLIMIT_NOFILE, &g_before, nullptr);
}

}  // namespace ym
