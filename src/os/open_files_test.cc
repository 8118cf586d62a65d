// SPDX-License-Identifier: Apache-2.0
#include "os/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ym {
namespace {

rlimit limit_now() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

// In a process of its own, as limits are a process's.
TEST(OpenFiles, AreRaisedToTheHardLimitAndGivenBackToChildren) {
  pid_t pid = ::fork();
  if (pid == 0) {
    rlimit small = limit_now();
    small.rlim_cur = 64;
    ::setrlimit(RLIMIT_NOFILE, &small);
    if (open_files() != 64) ::_exit(6);
    if (raise_open_files() != small.rlim_max) ::_exit(1);
    if (limit_now().rlim_cur != small.rlim_max) ::_exit(2);
    if (raise_open_files() != small.rlim_max) ::_exit(3);  // once more does no harm
    lower_open_files(0);
    if (limit_now().rlim_cur != 64) ::_exit(4);
    if (limit_now().rlim_max != small.rlim_max) ::_exit(5);
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

}  // namespace
}  // namespace ym
